import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository, type Repository } from "../../test/support/repository.ts"
import { listTracked, mayHideFiles } from "./read-index.ts"

const read = (repository: Repository) => readFileSync(join(repository.path, ".git/index"))
const names = Array.from({ length: 60 }, (_, index) => "n".repeat(index + 1))
const files = Object.fromEntries(names.map((name) => [name, name]))

describe("the marks in git's index", () => {
  it("are seen to be none, with names of any length", () => {
    using repository = makeRepository({ files })
    expect(mayHideFiles(read(repository))).toBe(false)
    repository.run("update-index", "--untracked-cache")
    repository.run("status")
    expect(mayHideFiles(read(repository))).toBe(false)
  })

  it.each([
    ["assume-unchanged", ["update-index", "--assume-unchanged", "nnn"]],
    ["skip-worktree", ["update-index", "--skip-worktree", names.at(-1) ?? ""]],
    ["intent to add", ["add", "--intent-to-add", "new"]],
    ["another version", ["update-index", "--index-version", "4"]],
    ["a split index", ["update-index", "--split-index"]],
  ])("may be there: %s", (_, args) => {
    using repository = makeRepository({ files })
    repository.write({ new: "new" })
    repository.run(...args)
    expect(mayHideFiles(read(repository))).toBe(true)
  })

  it("come with every file that git tracks, and its mode", () => {
    using repository = makeRepository({ files: { ...files, "a/ü b": "x" } })
    repository.run("update-index", "--chmod=+x", "nn")
    const asked = repository.run("-c", "core.quotePath=false", "ls-files", "--stage").split("\n")
    const expected = asked.map((line) => ({
      path: line.split("\t")[1] ?? "",
      mode: Number.parseInt(line.slice(0, 6), 8),
    }))
    expect(listTracked(read(repository))).toMatchObject(expected)
    repository.run("update-index", "--index-version", "4")
    expect(listTracked(read(repository))).toBeUndefined()
  })

  it("may be there in a repository of another hash", () => {
    using repository = makeRepository({ files: null })
    repository.run("init", "--quiet", "--object-format=sha256", "other")
    const other = repository.at(join(repository.path, "other"))
    other.write(files)
    other.run("add", "--all")
    expect(mayHideFiles(read(other))).toBe(true)
  })

  it("may be there in what is no index", () => {
    using repository = makeRepository({ files })
    const whole = read(repository)
    for (const bytes of [undefined, Buffer.from("damaged"), whole.subarray(0, 500), whole.subarray(0, -1)])
      expect(mayHideFiles(bytes)).toBe(true)
  })
})
