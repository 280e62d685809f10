// Moving the files of a real checkout with its branch: kinds of files, killed processes, locks of others, and places.
import { describe, expect, it } from "bun:test"
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { makeMerges } from "../../src/git/merges/git-merges.ts"
import { makeTargets } from "../../src/git/merges/git-targets.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { descendantsOf } from "../../src/lib/process/process-tree.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { makeCrew } from "../chaos/crew.ts"
import { makeRepository, snapshotFolder } from "../support/repository.ts"
import { safeDelete, sandboxEnv } from "../support/sandbox.ts"
import { refusal, until } from "../support/stores.ts"

/** How files may change; a link is named by where it leads, a program by its first line. */
type Content = string | Buffer | { readonly link: string } | { readonly program: string }
type Files = Readonly<Record<string, Content>>

const BYTES = [randomBytes(300_000), randomBytes(2_500_000)]
const CHANGES: readonly (readonly [name: string, before: Files, after: Files])[] = [
  ["binary files", { "a.bin": BYTES[0] ?? "" }, { "a.bin": BYTES[1] ?? "" }],
  ["bytes that are no text", { a: Buffer.from([0xff, 0xfe, 0, 1]) }, { a: Buffer.from([0xff, 0xfe, 0, 2, 0xc3]) }],
  [
    "other line ends",
    { ".gitattributes": "* text eol=crlf\n", a: "1\r\n" },
    { ".gitattributes": "* text eol=crlf\n", a: "1\r\n2\r\n" },
  ],
  ["attributes that come along", { a: "1\n" }, { ".gitattributes": "a text eol=crlf\n", a: "1\r\n2\r\n" }],
  ["a file that becomes a program", { a: "#!/bin/sh\n" }, { a: { program: "#!/bin/sh\n" } }],
  ["a link that leads elsewhere", { a: { link: "b" }, b: "b" }, { a: { link: "c" }, b: "b" }],
  ["a file that becomes a folder", { d: "file\n" }, { "d/x": "x\n", "d/y/z": "z\n" }],
  ["a folder that becomes a file", { "d/x": "x\n", "d/y/z": "z\n" }, { d: "file\n" }],
  ["a link that becomes a folder", { d: { link: "e" }, "e/x": "1\n" }, { "d/x": "x\n", "e/x": "1\n" }],
  ["a folder that becomes a link", { "d/x": "x\n", "e/x": "1\n" }, { d: { link: "e" }, "e/x": "1\n" }],
  ["a file that becomes a link", { d: "file\n", e: "e\n" }, { d: { link: "e" }, e: "e\n" }],
  ["a file that moves below its own name", { d: "the same words\n" }, { "d/d": "the same words\n" }],
  ["a file that moves up to its folder's name", { "d/d": "the same words\n" }, { d: "the same words\n" }],
  ["two that change places", { a: "one\n", "b/c": "two\n" }, { "a/c": "two\n", b: "one\n" }],
]

describe("F129: a delivery brings", () => {
  it.each(CHANGES)("%s, and undo takes it back", async (_, before, after) => {
    await using scene = makeScene(before, after)
    expect(await scene.move()).toBe(true)
    expect(scene.files()).toEqual(scene.after)
    expect(scene.repository.run("status", "--porcelain")).toBe("?? notes.txt")
    expect(await scene.move("back")).toBe(true)
    expect(scene.files()).toEqual(scene.before)
    expect(scene.repository.run("status", "--porcelain")).toBe("?? notes.txt")
  })

  it("no folder away that holds files of the user's", async () => {
    await using scene = makeScene({ "d/x": "x\n", ".gitignore": "*.env\n" }, { d: "file\n", ".gitignore": "*.env\n" })
    writeFileSync(join(scene.folder, "d/secret.env"), "mine\n")
    expect(await refusal(scene.move())).toMatchObject({ code: "deliver.refused", details: { paths: ["d/secret.env"] } })
    expect(readFileSync(join(scene.folder, "d/secret.env"), "utf8")).toBe("mine\n")
    expect(readFileSync(join(scene.folder, "d/x"), "utf8")).toBe("x\n")
  })

  it("no submodule away that is checked out", async () => {
    using inner = makeRepository({ name: "inner" })
    await using scene = makeScene({ a: "a\n" }, { a: "A\n" })
    const { repository } = scene
    repository.run("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub")
    const from = repository.commit("submodule")
    repository.run("rm", "--quiet", "--cached", "sub", ".gitmodules")
    writeFileSync(join(scene.folder, "kept"), "")
    const blob = repository.run("hash-object", "-w", "kept")
    repository.run("update-index", "--add", "--cacheinfo", `100644,${blob},sub`)
    const to = repository.run("commit-tree", "-p", from, "-m", "file", repository.run("write-tree"))
    repository.run("reset", "--quiet", "--mixed", from)
    const { paths } = (await refusal(scene.move("forth", { from, to }))).details as { paths: string[] }
    expect(paths).toContain("sub/a.txt")
    expect(existsSync(join(scene.folder, "sub/a.txt"))).toBe(true)
  })
})

describe("F128: a delivery that is killed in the middle of", () => {
  it.each(CHANGES)("%s goes back, and can be repeated", async (_, before, after) => {
    await using scene = makeScene(before, after)
    await scene.killMove()
    const told = await scene.recover()
    expect(told.join("\n")).toContain("whose files a killed git process was replacing")
    expect(scene.files()).toEqual(scene.before)
    expect(scene.repository.run("status", "--porcelain")).toBe("?? notes.txt")
    expect(await scene.move()).toBe(true)
    expect(scene.files()).toEqual(scene.after)
    expect(scene.leftBehind()).toEqual([])
  })

  it("a file that was written in part goes back, one that the user wrote since stays", async () => {
    await using scene = makeScene({ a: BYTES[0] ?? "", b: "b\n", c: "c\n" }, { a: BYTES[1] ?? "", b: "B\n", c: "C\n" })
    await scene.killMove()
    writeFileSync(join(scene.folder, "a"), (BYTES[1] ?? Buffer.alloc(0)).subarray(0, 1_200_000))
    writeFileSync(join(scene.folder, "b"), "mine\n")
    await scene.recover()
    expect(readFileSync(join(scene.folder, "a")).equals(BYTES[0] ?? Buffer.alloc(0))).toBe(true)
    expect(readFileSync(join(scene.folder, "b"), "utf8")).toBe("mine\n")
    expect(readFileSync(join(scene.folder, "c"), "utf8")).toBe("c\n")
    expect(scene.repository.run("status", "--porcelain")).toBe(" M b\n?? notes.txt")
    expect(scene.leftBehind()).toEqual([])
  })

  it("says what keeps a file from going back that became a folder with files of the user's", async () => {
    await using scene = makeScene({ d: "file\n" }, { "d/x": "x\n" })
    await scene.killMove()
    writeFileSync(join(scene.folder, "d/mine"), "mine\n")
    const told = (await scene.recover()).join("\n")
    expect(told).toContain('"d"')
    expect(readFileSync(join(scene.folder, "d/mine"), "utf8")).toBe("mine\n")
  })
})

describe("F131: a lock of another program", () => {
  it.each(["index.lock", "refs/heads/main.lock", "HEAD.lock"])(
    "on %s stays, and one line names it",
    async (name) => {
      await using scene = makeScene({ a: "a\n" }, { a: "A\n" }, { sleep: () => sleep(1) })
      const lock = join(scene.folder, ".git", name)
      writeFileSync(lock, "")
      const refused = await refusal(scene.move())
      expect(refused).toMatchObject({ code: "git.locked", details: { file: lock } })
      expect(refused.message.split("\n")).toHaveLength(1)
      expect(refused.message).toContain(lock)
      expect(existsSync(lock)).toBe(true)
      expect(scene.files()).toEqual(scene.before)
      expect(await scene.recover()).toEqual([])
      expect(existsSync(lock)).toBe(true)
      safeDelete(lock)
      expect(await scene.move()).toBe(true)
      expect(scene.leftBehind()).toEqual([])
    },
    30_000,
  )

  it("stays also where a killed delivery of ours is to be ended, which is done once it is gone", async () => {
    await using scene = makeScene({ a: BYTES[0] ?? "" }, { a: BYTES[1] ?? "" }, { sleep: () => sleep(1) })
    await scene.killMove()
    const lock = join(scene.folder, ".git/index.lock")
    safeDelete(lock)
    writeFileSync(lock, "")
    expect(await refusal(scene.recover())).toMatchObject({ code: "git.locked", details: { file: lock } })
    expect(existsSync(lock)).toBe(true)
    safeDelete(lock)
    await scene.recover()
    expect(scene.files()).toEqual(scene.before)
  })

  it("stays although it came after our own was noted", async () => {
    await using scene = makeScene({ a: "a\n" }, { a: "A\n" })
    const notes = join(scene.folder, ".git/teamwork-moves")
    const lock = join(scene.folder, ".git/refs/heads/main.lock")
    mkdirSync(notes)
    const note = { refs: [{ ref: "refs/heads/main", to: scene.to }], process: { pid: 1, start: "gone" } }
    const at = Date.now() - 60_000
    writeFileSync(
      join(notes, "n1"),
      JSON.stringify({ ...note, at, locks: { [lock]: scene.to }, foreign: {}, places: [] }),
    )
    writeFileSync(lock, "")
    expect(await scene.recover()).toEqual([])
    expect(existsSync(lock)).toBe(true)
    // And one that holds what ours was to write is ours.
    writeFileSync(
      join(notes, "n1"),
      JSON.stringify({ ...note, at, locks: { [lock]: scene.to }, foreign: {}, places: [] }),
    )
    writeFileSync(lock, `${scene.to}\n`)
    expect(await scene.recover()).toEqual([expect.stringContaining("main.lock")])
    expect(existsSync(lock)).toBe(false)
  })
})

describe("F134: where the target is checked out", () => {
  it("with its git folder elsewhere, it is delivered to", async () => {
    await using scene = makeScene({ a: "a\n" }, { a: "A\n" })
    scene.repository.run("init", "--quiet", `--separate-git-dir=${scene.folder}.git`)
    expect(await scene.move()).toBe(true)
    expect(scene.files()).toEqual(scene.after)
    // From a linked worktree git does not tell where the main checkout is.
    const linked = `${scene.folder}-linked`
    scene.repository.run("worktree", "add", "--quiet", "--detach", linked)
    expect((await scene.at(linked).findCheckout("main"))?.obstacle).toContain("git folder is elsewhere")
  })

  it("twice, one line says so before anything moves", async () => {
    await using scene = makeScene({ a: "a\n" }, { a: "A\n" })
    const linked = `${scene.folder}-linked`
    scene.repository.run("worktree", "add", "--quiet", "--force", linked, "main")
    const checkout = await scene.at(scene.folder).findCheckout("main")
    expect(checkout?.obstacle).toContain(scene.folder)
    expect(checkout?.obstacle).toContain(linked)
  })

  it("a submodule that stands elsewhere is not in the way", async () => {
    using inner = makeRepository({ name: "inner" })
    await using scene = makeScene({ a: "a\n" }, { a: "A\n" })
    scene.repository.run("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub")
    scene.repository.commit("submodule")
    scene.repository
      .at(join(scene.folder, "sub"))
      .run("-c", "user.name=T", "-c", "user.email=t@e", "commit", "--quiet", "--allow-empty", "-m", "x")
    expect(scene.repository.run("status", "--porcelain")).toContain(" M sub")
    expect((await scene.at(scene.folder).findCheckout("main"))?.obstacle).toBeNull()
    writeFileSync(join(scene.folder, "a"), "mine\n")
    expect((await scene.at(scene.folder).findCheckout("main"))?.obstacle).toContain('"a"')
  })
})

/** A checkout of `main` with the files before, and a commit with those after. */
function makeScene(
  before: Files,
  after: Files,
  { sleep: pause = sleep }: { sleep?: (ms: number) => Promise<unknown> } = {},
) {
  const repository = makeRepository({ files: null })
  const folder = repository.path
  // Git writes it last and asks this program for it, which lets a test stop it there.
  const slow = { ".gitattributes": "", "zz.slow": "" }
  repository.run("config", "filter.slow.smudge", "cat")
  repository.run("config", "filter.slow.clean", "cat")
  const put = (files: Files, last: string) => {
    for (const name of readdirSync(folder)) if (name !== ".git") rmSync(join(folder, name), { recursive: true })
    for (const [path, content] of Object.entries({ ...slow, ...files, "zz.slow": last }))
      write(join(folder, path), content)
    const own = typeof files[".gitattributes"] === "string" ? files[".gitattributes"] : ""
    write(join(folder, ".gitattributes"), `${own}zz.slow filter=slow -text\n`)
    const commit = repository.commit(last)
    // As git writes them, line ends and all.
    for (const path of repository
      .run("ls-files", "-z")
      .split("\0")
      .filter((each) => each !== ""))
      rmSync(join(folder, path))
    repository.run("reset", "--quiet", "--hard")
    return { commit, seen: look() }
  }
  const look = () => snapshotFolder(folder, (path) => path === ".git" || path === "notes.txt" || path === "d/mine")
  const first = put(before, "before")
  const second = put(after, "after")
  repository.run("reset", "--quiet", "--hard", first.commit)
  writeFileSync(join(folder, "notes.txt"), "mine\n")
  const log = { ids: systemIds, env: sandboxEnv(), sleep: pause }
  const at = (place: string) => makeTargets(repository.git.in(place), log)
  return {
    ...{ repository, folder, at, from: first.commit, to: second.commit, before: first.seen, after: second.seen },
    files: look,
    async move(way: "forth" | "back" = "forth", { from = first.commit, to = second.commit } = {}) {
      const [one, other] = way === "forth" ? [from, to] : [to, from]
      const checkout = { folder, obstacle: null }
      return at(folder).move({ branch: "main", from: one, to: other, checkout })
    },
    recover: () => makeMerges(repository.git, log).recover(),
    /** Kills everything when git has written all files but one. */
    async killMove() {
      const marker = `${folder}-reached`
      repository.run("config", "filter.slow.smudge", `sh -c 'echo > "${marker}"; exec sleep 60'`)
      await using crew = makeCrew()
      const member = crew.start("moves-a-checkout.ts", {
        ...{ name: "mover", store: "", folder, from: first.commit, to: second.commit },
      })
      await member.next()
      await until(async () => existsSync(marker), "git being in the middle of the files")
      for (const pid of descendantsOf(member.pid, sandboxEnv())) process.kill(pid, "SIGKILL")
      member.kill()
      await member.ended
      repository.run("config", "filter.slow.smudge", "cat")
    },
    leftBehind: () =>
      (readdirSync(join(folder, ".git"), { recursive: true }) as string[]).filter(
        (name) => name.endsWith(".lock") || name.startsWith("teamwork-moves/"),
      ),
    async [Symbol.asyncDispose]() {
      repository[Symbol.dispose]()
    },
  }
}

function write(file: string, content: Content): void {
  mkdirSync(dirname(file), { recursive: true })
  if (typeof content === "string" || Buffer.isBuffer(content)) writeFileSync(file, content)
  else if ("link" in content) symlinkSync(content.link, file)
  else {
    writeFileSync(file, content.program)
    chmodSync(file, 0o755)
  }
}
