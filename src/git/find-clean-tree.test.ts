import { describe, expect, it } from "bun:test"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, type Repository } from "../../test/support/repository.ts"
import { findCleanTree } from "./find-clean-tree.ts"

const files = { "a.txt": "aaaa\n", "b/c.txt": "c\n", "b/d/e.txt": "e\n", ".gitignore": "*.log\n" }

/** Settled: no file is as young as the index. */
function settled(): Repository {
  const repository = makeRepository({ files })
  for (const name of Object.keys(files)) utimesSync(join(repository.path, name), 1_600_000_000, 1_600_000_000)
  repository.run("reset", "--quiet", "--hard")
  repository.run("update-index", "--refresh")
  return repository
}

const cleanTree = (repository: Repository) => findCleanTree(repository.path, join(repository.path, ".git"))

describe("a worktree that is surely clean", () => {
  it("is told with its tree", () => {
    using repository = settled()
    expect(cleanTree(repository)).toBe(repository.run("rev-parse", "HEAD^{tree}"))
  })

  it.each<[string, (at: (name: string) => string, repository: Repository) => void]>([
    ["another content of the same length and time", (at) => rewrite(at("a.txt"), "bbbb\n")],
    ["a file that was replaced", (at) => renameSync(copyOf(at("a.txt")), at("a.txt"))],
    ["a file that is gone", (at) => rmSync(at("b/c.txt"))],
    ["a link in its place", (at) => replaceByLink(at("a.txt"))],
    ["another mode", (at) => chmodSync(at("a.txt"), 0o755)],
    ["a new file", (at) => writeFileSync(at("b/new"), "")],
    ["an ignored file", (at) => writeFileSync(at("x.log"), "")],
    ["an empty folder", (at) => mkdirSync(at("b/empty"))],
    ["something staged", (_, repository) => repository.run("rm", "--quiet", "--cached", "a.txt")],
    [
      "a file that git looks away from",
      (_, repository) => repository.run("update-index", "--assume-unchanged", "a.txt"),
    ],
    ["another version of the index", (_, repository) => repository.run("update-index", "--index-version", "4")],
    ["no index", (at) => rmSync(at(".git/index"))],
  ])("is not one with %s", (_, change) => {
    using repository = settled()
    expect(cleanTree(repository)).toBeDefined()
    change((name) => join(repository.path, name), repository)
    expect(cleanTree(repository)).toBeUndefined()
  })

  it("is at the tree of its index, whatever the head is", () => {
    using repository = settled()
    const tree = cleanTree(repository)
    repository.run("commit", "--quiet", "--allow-empty", "-m", "Same files")
    expect(cleanTree(repository)).toBe(tree)
    repository.run("rm", "--quiet", "b/c.txt")
    expect(cleanTree(repository)).not.toBe(tree)
  })

  it("is told by the content of files that are as young as the index: they may have changed without a sign", () => {
    using repository = settled()
    const tree = cleanTree(repository)
    utimesSync(join(repository.path, ".git/index"), 1_600_000_000, 1_600_000_000)
    expect(cleanTree(repository)).toBe(tree)
    rewrite(join(repository.path, "a.txt"), "bbbb\n")
    expect(cleanTree(repository)).toBeUndefined()
  })
})

function rewrite(file: string, text: string): void {
  writeFileSync(file, text)
  utimesSync(file, 1_600_000_000, 1_600_000_000)
}

function replaceByLink(file: string): void {
  rmSync(file)
  symlinkSync("b/c.txt", file)
}

function copyOf(file: string): string {
  const copy = `${file}.copy`
  rewrite(copy, "aaaa\n")
  return copy
}
