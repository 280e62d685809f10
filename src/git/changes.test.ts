import { describe, expect, it } from "bun:test"
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../../test/support/sandbox.ts"
import { capture } from "../lib/process/capture.ts"
import { sleep } from "../lib/sleep.ts"
import { readChanges } from "./changes.ts"
import { makeGit } from "./git.ts"

describe("changes", () => {
  it("tells of every path how it changed", async () => {
    const { git, folder, commit } = await fresh()
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join("")
    for (const name of ["edited", "gone", "kind", "run.sh", "moved"])
      writeFileSync(join(folder, name), `${name}\n${lines}`)
    const base = await commit()
    writeFileSync(join(folder, "edited"), `edited\n${lines}one\ntwo\n`)
    rmSync(join(folder, "gone"))
    chmodSync(join(folder, "run.sh"), 0o755)
    rmSync(join(folder, "kind"))
    symlinkSync("edited", join(folder, "kind"))
    mkdirSync(join(folder, "to"))
    renameSync(join(folder, "moved"), join(folder, "to/moved"))
    writeFileSync(join(folder, "image"), new Uint8Array([0, 1, 2, 0]))
    symlinkSync("../outside", join(folder, "link"))
    const changes = await readChanges(git, base, await commit())
    const byPath = Object.fromEntries(changes.map((change) => [change.path, change]))
    expect(Object.keys(byPath).sort()).toEqual(["edited", "gone", "image", "kind", "link", "run.sh", "to/moved"])
    expect(byPath.edited).toMatchObject({ status: "modified", addedLines: 2, deletedLines: 0, oldPath: "edited" })
    expect(byPath.gone).toMatchObject({ status: "deleted", newMode: null, deletedLines: 21 })
    expect(byPath.kind).toMatchObject({ status: "modified", newMode: "120000", linksTo: "edited", deletedLines: 21 })
    expect(byPath["run.sh"]).toMatchObject({ status: "modified", oldMode: "100644", newMode: "100755", addedLines: 0 })
    expect(byPath["to/moved"]).toMatchObject({ status: "renamed", oldPath: "moved", addedLines: 0 })
    expect(byPath.image).toMatchObject({ status: "added", isBinary: true, oldMode: null })
    expect(byPath.link).toMatchObject({ status: "added", newMode: "120000", linksTo: "../outside" })
  })

  it("takes paths as they are, and counts each for itself", async () => {
    const { git, folder, commit } = await fresh()
    const names = ["-n", "a\tb", "new\nline", 'quo"te', "ünï", "$(touch x)", "; rm -rf .", "1\t2\t", ":100644"]
    for (const [index, name] of names.entries()) writeFileSync(join(folder, name), "x\n".repeat(index))
    const base = await commit()
    for (const [index, name] of names.entries()) writeFileSync(join(folder, name), "x\n".repeat(2 * index + 1))
    const changes = await readChanges(git, base, await commit())
    const counted = Object.fromEntries(changes.map((change) => [change.path, change.addedLines]))
    expect(counted).toEqual(Object.fromEntries(names.map((name, index) => [name, index + 1])))
  })

  it("is not deceived by attributes and settings in the tree", async () => {
    const { git, folder, commit } = await fresh()
    const base = await commit()
    writeFileSync(join(folder, ".gitattributes"), "* diff=secret\n")
    writeFileSync(join(folder, ".gitmodules"), '[submodule "m"]\n\tpath = m\n\turl = ./m\n\tignore = all\n')
    await git.read(["config", "diff.secret.command", "true"])
    await git.read(["update-index", "--add", "--cacheinfo", `160000,${base},m`])
    const changes = await readChanges(git, base, await commit())
    expect(changes.map((change) => [change.path, change.newMode])).toEqual([
      [".gitattributes", "100644"],
      [".gitmodules", "100644"],
      ["m", "160000"],
    ])
  })

  it("says nothing of equal trees", async () => {
    const { git, commit } = await fresh()
    expect(await readChanges(git, await commit(), await commit())).toEqual([])
  })
})

async function fresh() {
  const folder = makeScratch("changes").path
  const git = makeGit(folder, { capture, env: sandboxEnv(), sleep })
  await git.read(["init", "--quiet", "--initial-branch=main"])
  await git.read(["config", "user.name", "Test"])
  await git.read(["config", "user.email", "test@example.com"])
  const commit = async () => {
    // The index is kept: it may have entries without a file.
    await git.read(["add", "--all", "--ignore-errors", "--", ".", ":!m"])
    await git.read(["commit", "--allow-empty", "--quiet", "-m", "x"])
    return git.read(["rev-parse", "HEAD"])
  }
  return { git, folder, commit }
}
