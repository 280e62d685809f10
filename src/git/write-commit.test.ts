import { describe, expect, it } from "bun:test"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { makeRepository } from "../../test/support/repository.ts"
import { writeCommit } from "./write-commit.ts"

const WHO = "Zoë O'Hara <zoe@example.com>"

describe("a commit written without git", () => {
  it("is the very one that git would have written", async () => {
    using repository = makeRepository()
    const [tree, parent] = ["HEAD^{tree}", "HEAD"].map((each) => repository.run("rev-parse", each)) as [string, string]
    const message = "Ünïcode, and\n\nseveral lines\n"
    const id = await writeCommit(repository.git, { tree, parents: [parent], message, author: WHO, committer: WHO })
    const [date, name, text] = repository
      .run("log", "-1", "--format=%ad%n%an <%ae>%n%B", "--date=raw", id ?? "")
      .split("\n", 3)
    expect([name, text]).toEqual([WHO, "Ünïcode, and"])
    expect(repository.run("fsck", "--strict", "--no-dangling")).toBe("")
    const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Zoë O'Hara"],
      [`GIT_${who}_EMAIL`, "zoe@example.com"],
      [`GIT_${who}_DATE`, date ?? ""],
    ])
    const args = ["commit-tree", tree, "-p", parent, "-F", "-"]
    expect(await repository.git.read(args, { input: message, env: Object.fromEntries(identity) })).toBe(id ?? "")
  })

  it("may be written twice, and leaves nothing else behind", async () => {
    using repository = makeRepository()
    const tree = repository.run("rev-parse", "HEAD^{tree}")
    const commit = { tree, parents: [], message: "same", author: WHO, committer: WHO }
    const ids = await Promise.all([writeCommit(repository.git, commit), writeCommit(repository.git, commit)])
    expect(ids.every((id) => id !== undefined)).toBe(true)
    expect(repository.run("count-objects", "-v")).toContain("garbage: 0")
  })

  it("is left to git in a repository that several users share", async () => {
    using repository = makeRepository()
    const tree = repository.run("rev-parse", "HEAD^{tree}")
    chmodSync(join(repository.path, ".git/objects"), 0o2775)
    expect(
      await writeCommit(repository.git, { tree, parents: [], message: "", author: WHO, committer: WHO }),
    ).toBeUndefined()
  })
})
