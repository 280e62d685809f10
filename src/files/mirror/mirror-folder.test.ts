import { describe, expect, it } from "bun:test"
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { refusal, TEAM } from "../../../test/support/stores.ts"
import { flagOf } from "../../kernel/command-line.ts"
import type { AppError } from "../../kernel/errors.ts"
import type { OutFile } from "../own/folder.ts"
import { onDisk } from "./disk.ts"
import { MANIFEST } from "./manifest.ts"
import { inspectMirrorFolder, type MirrorFolder, type MirrorReport, openMirrorFolder } from "./mirror-folder.ts"

const file = (path: string, content: string): OutFile => ({ path, content })
const PROJECT = file("project.json", "{}\n")
const ONE = file("tasks/1.json", "one\n")
const TWO = file("tasks/2.json", "two\n")
const ALL = [PROJECT, ONE, TWO]

async function writeAll(folder: MirrorFolder, files: readonly OutFile[]): Promise<MirrorReport> {
  await folder.put(files)
  folder.finish(new Set(files.map((each) => each.path)))
  return folder.takeReport()
}

async function writeOnce(
  path: string,
  files: readonly OutFile[],
  options: { force?: boolean; name?: typeof TEAM } = {},
) {
  return writeAll(openMirrorFolder(path, files, { name: TEAM, ...options }), files)
}

/** Every file below, without the manifest. */
function contentsOf(path: string): Record<string, string> {
  const paths = readdirSync(path, { recursive: true, encoding: "utf8" }).filter(
    (name) => name !== MANIFEST && lstatSync(join(path, name)).isFile(),
  )
  return Object.fromEntries(paths.sort().map((name) => [name, readFileSync(join(path, name), "utf8")]))
}

async function failureOf(work: () => unknown): Promise<AppError> {
  return refusal(Promise.resolve().then(work))
}

describe("a folder of views", () => {
  it("is written, and then only where something differs", async () => {
    using scratch = makeScratch()
    const path = join(scratch.path, "deep/er")
    expect(await writeOnce(path, ALL)).toEqual({ written: 3, removed: 0, unchanged: 0, edited: [] })
    expect(contentsOf(path)).toEqual({ "project.json": "{}\n", "tasks/1.json": "one\n", "tasks/2.json": "two\n" })
    const manifest = lstatSync(join(path, MANIFEST))
    expect(await writeOnce(path, ALL)).toEqual({ written: 0, removed: 0, unchanged: 3, edited: [] })
    expect(lstatSync(join(path, MANIFEST)).ino).toBe(manifest.ino)
    const next = [PROJECT, file("tasks/1.json", "uno\n"), TWO]
    expect(await writeOnce(path, next)).toEqual({ written: 1, removed: 0, unchanged: 2, edited: [] })
    expect(contentsOf(path)["tasks/1.json"]).toBe("uno\n")
  })

  it("loses what is no longer kept, with the folders that get empty by it", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, [...ALL, file("a/b/c.md", "c")])
    writeFileSync(join(scratch.path, "tasks/mine.txt"), "mine")
    expect(await writeOnce(scratch.path, [PROJECT])).toMatchObject({ removed: 3, edited: [] })
    expect(contentsOf(scratch.path)).toEqual({ "project.json": "{}\n", "tasks/mine.txt": "mine" })
    expect(existsSync(join(scratch.path, "a"))).toBe(false)
  })

  it("writes bytes as they are", async () => {
    using scratch = makeScratch()
    const bytes = new Uint8Array([0, 255, 10, 200])
    await writeOnce(scratch.path, [{ path: "artifacts/a.bin", content: bytes }])
    expect(new Uint8Array(readFileSync(join(scratch.path, "artifacts/a.bin")))).toEqual(bytes)
  })

  it("has the same manifest for the same content, however it came about", async () => {
    using first = makeScratch()
    using second = makeScratch()
    await writeOnce(first.path, ALL)
    await writeOnce(second.path, [file("tasks/2.json", "x"), file("tasks/9.json", "y")])
    await writeOnce(second.path, [TWO, ONE, PROJECT])
    const manifest = readFileSync(join(first.path, MANIFEST), "utf8")
    expect(readFileSync(join(second.path, MANIFEST), "utf8")).toBe(manifest)
    const [header, ...lines] = manifest
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(header).toEqual({ format: "teamwork-export", version: 1, ...TEAM })
    expect(lines.map((line) => line.path)).toEqual(["project.json", "tasks/1.json", "tasks/2.json"])
  })

  it("removes what crashed writers left half-written, and not what a living one is writing", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    const ended = Bun.spawnSync(["true"]).pid
    writeFileSync(join(scratch.path, `.teamwork-export.tmp-${ended}-1`), "half")
    writeFileSync(join(scratch.path, `.teamwork-export.tmp-${process.ppid}-1`), "half")
    await writeOnce(scratch.path, ALL)
    const left = readdirSync(scratch.path).filter((name) => name.includes(".tmp-"))
    expect(left).toEqual([`.teamwork-export.tmp-${process.ppid}-1`])
  })
})

describe("edits by hand", () => {
  it("are kept aside before they are written over, each of them", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    writeFileSync(join(scratch.path, "tasks/1.json"), "my words")
    expect(await writeOnce(scratch.path, ALL)).toEqual({
      written: 1,
      removed: 0,
      unchanged: 2,
      edited: ["tasks/1.json"],
    })
    writeFileSync(join(scratch.path, "tasks/1.json"), "my words") // the same again needs no second copy
    expect(await writeOnce(scratch.path, ALL)).toMatchObject({ edited: ["tasks/1.json"] })
    writeFileSync(join(scratch.path, "tasks/1.json"), "other words")
    await writeOnce(scratch.path, ALL)
    expect(contentsOf(scratch.path)).toEqual({
      "edited/tasks/1.json": "my words",
      "edited/tasks/1.json.2": "other words",
      "project.json": "{}\n",
      "tasks/1.json": "one\n",
      "tasks/2.json": "two\n",
    })
    expect(await writeOnce(scratch.path, ALL)).toMatchObject({ unchanged: 3, edited: [] })
  })

  it("are kept when the file itself goes", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    writeFileSync(join(scratch.path, "tasks/2.json"), "my words")
    expect(await writeOnce(scratch.path, [PROJECT, ONE])).toMatchObject({ removed: 1, edited: ["tasks/2.json"] })
    expect(contentsOf(scratch.path)["edited/tasks/2.json"]).toBe("my words")
    expect(existsSync(join(scratch.path, "tasks/2.json"))).toBe(false)
  })

  it("count as none when somebody wrote what is to be there, or what was there once", async () => {
    using scratch = makeScratch()
    const folder = openMirrorFolder(scratch.path, ALL, { name: TEAM })
    await writeAll(folder, ALL)
    writeFileSync(join(scratch.path, "tasks/1.json"), "uno\n")
    await folder.put([file("tasks/1.json", "uno\n")])
    writeFileSync(join(scratch.path, "tasks/1.json"), "one\n")
    await folder.put([file("tasks/1.json", "eins\n")])
    expect(folder.takeReport()).toMatchObject({ written: 1, unchanged: 1, edited: [] })
  })

  it("include deleting a file, which is written again", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    rmSync(join(scratch.path, "tasks/1.json"))
    expect(await writeOnce(scratch.path, ALL)).toMatchObject({ written: 1, edited: ["tasks/1.json"] })
    expect(contentsOf(scratch.path)["tasks/1.json"]).toBe("one\n")
  })

  it("are told of without touching anything", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    expect(inspectMirrorFolder(scratch.path)).toEqual({ edited: [], missing: [] })
    writeFileSync(join(scratch.path, "tasks/2.json"), "my words")
    rmSync(join(scratch.path, "project.json"))
    const before = [contentsOf(scratch.path), readFileSync(join(scratch.path, MANIFEST), "utf8")]
    expect(inspectMirrorFolder(scratch.path)).toEqual({ edited: ["tasks/2.json"], missing: ["project.json"] })
    expect([contentsOf(scratch.path), readFileSync(join(scratch.path, MANIFEST), "utf8")]).toEqual(before)
    expect(inspectMirrorFolder(join(scratch.path, "nowhere"))).toEqual({ edited: [], missing: [] })
  })
})

describe("files that we never wrote", () => {
  it("stop an export before it writes anything", async () => {
    using scratch = makeScratch()
    mkdirSync(join(scratch.path, "tasks"))
    for (const name of ["project.json", "tasks/1.json", "tasks/2.json", "a.md"]) {
      writeFileSync(join(scratch.path, name), "older")
    }
    const before = contentsOf(scratch.path)
    const error = await failureOf(() => writeOnce(scratch.path, [...ALL, file("a.md", "a"), file("b.md", "b")]))
    expect(error.code).toBe("export.foreign_files")
    expect(error.message).toContain("project.json, tasks/1.json, tasks/2.json and 1 more")
    expect(error.remedies).toMatchObject([{ operation: "import", fields: { path: scratch.path } }])
    const said = error.tell({ field: flagOf, remedy: ({ operation }) => operation })
    for (const way of ["import", "--to", "--force"]) expect(said).toContain(way)
    expect(contentsOf(scratch.path)).toEqual(before)
    expect(existsSync(join(scratch.path, MANIFEST))).toBe(false)
  })

  it("are kept in replaced/ with force", async () => {
    using scratch = makeScratch()
    mkdirSync(join(scratch.path, "tasks"))
    writeFileSync(join(scratch.path, "tasks/1.json"), "older")
    writeFileSync(join(scratch.path, "notes.txt"), "in nobody's way")
    expect(await writeOnce(scratch.path, ALL, { force: true })).toMatchObject({ written: 3, edited: [] })
    expect(contentsOf(scratch.path)).toMatchObject({
      "replaced/tasks/1.json": "older",
      "tasks/1.json": "one\n",
      "notes.txt": "in nobody's way",
    })
    expect(await writeOnce(scratch.path, ALL)).toMatchObject({ written: 0, edited: [] })
  })

  it("are none when they are what is to be written", async () => {
    using scratch = makeScratch()
    writeFileSync(join(scratch.path, "project.json"), "{}\n")
    expect(await writeOnce(scratch.path, ALL)).toEqual({ written: 2, removed: 0, unchanged: 1, edited: [] })
  })

  it("are also those of another team's export", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    const name = { project: "garden", team: "main" }
    const error = await failureOf(() => writeOnce(scratch.path, [PROJECT], { name }))
    expect(error.code).toBe("export.foreign_files")
    expect(error.message).toContain("house/main")
    await writeOnce(scratch.path, [PROJECT], { name, force: true })
    expect(contentsOf(scratch.path)).toEqual({
      "project.json": "{}\n",
      "replaced/project.json": "{}\n",
      "replaced/tasks/1.json": "one\n",
      "replaced/tasks/2.json": "two\n",
    })
  })

  it("are not those of another team in a folder that teams share", async () => {
    using scratch = makeScratch()
    const write = (project: string, files: OutFile[]) => {
      const name = { project, team: "main" }
      return writeAll(openMirrorFolder(scratch.path, files, { name, isShared: true }), files)
    }
    await write("house", [file("t1.json", "house 1"), file("t2.json", "house 2")])
    expect(await write("garden", [file("t1.json", "garden 1")])).toMatchObject({ written: 1, edited: [] })
    expect(await write("house", [])).toMatchObject({ removed: 1, edited: [] })
    expect(readFileSync(join(scratch.path, "t1.json"), "utf8")).toBe("garden 1")
    expect(existsSync(join(scratch.path, "t2.json"))).toBe(false)
  })
})

describe("logs", () => {
  it("grow, and are told from those that somebody changed", async () => {
    using scratch = makeScratch()
    const folder = openMirrorFolder(scratch.path, [], { name: TEAM })
    expect(folder.append("log.jsonl", "1\n")).toBe(false)
    await folder.putLog({ path: "log.jsonl", content: "1\n" })
    expect(folder.append("log.jsonl", "2ü\n")).toBe(true)
    expect(folder.append("log.jsonl", "3\n")).toBe(true)
    expect(readFileSync(join(scratch.path, "log.jsonl"), "utf8")).toBe("1\n2ü\n3\n")
    expect(inspectMirrorFolder(scratch.path)).toEqual({ edited: [], missing: [] })
    appendFileSync(join(scratch.path, "log.jsonl"), "mine\n")
    expect(folder.append("log.jsonl", "4\n")).toBe(false)
    await folder.putLog({ path: "log.jsonl", content: "1\n2ü\n3\n4\n" })
    expect(folder.takeReport().edited).toEqual(["log.jsonl"])
    expect(contentsOf(scratch.path)).toEqual({
      "edited/log.jsonl": "1\n2ü\n3\nmine\n",
      "log.jsonl": "1\n2ü\n3\n4\n",
    })
    rmSync(join(scratch.path, "log.jsonl"))
    expect(folder.append("log.jsonl", "5\n")).toBe(false)
  })

  it("get each line once when two mirrors add it", async () => {
    using scratch = makeScratch()
    const folders = [1, 2].map(() => openMirrorFolder(scratch.path, [], { name: TEAM }))
    for (const folder of folders) await folder.putLog({ path: "log.jsonl", content: "1\n" })
    expect(folders[0]?.append("log.jsonl", "2\n3\n")).toBe(true)
    expect(folders[1]?.append("log.jsonl", "2\n3\n4\n")).toBe(true)
    expect(folders[0]?.append("log.jsonl", "4\n")).toBe(true)
    expect(folders[0]?.append("log.jsonl", "5\n6\n")).toBe(true)
    expect(folders[1]?.append("log.jsonl", "5\n")).toBe(true)
    expect(readFileSync(join(scratch.path, "log.jsonl"), "utf8")).toBe("1\n2\n3\n4\n5\n6\n")
  })

  it("that a crash cut off are no edits", async () => {
    using scratch = makeScratch()
    const folder = openMirrorFolder(scratch.path, [], { name: TEAM })
    await folder.putLog({ path: "log.jsonl", content: "first\n" })
    appendFileSync(join(scratch.path, "log.jsonl"), "sec")
    expect(await writeOnce(scratch.path, [file("log.jsonl", "first\nsecond\n")])).toMatchObject({
      written: 1,
      edited: [],
    })
  })
})

describe("after a crash", () => {
  it("at any point between manifest and files no edit is seen where none was", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    const folder = openMirrorFolder(scratch.path, ALL, { name: TEAM })
    await folder.put([file("tasks/1.json", "uno\n"), file("tasks/3.json", "tres\n")])
    folder.remove(["tasks/2.json"])
    // Back to where the lines were written and the files not yet changed.
    writeFileSync(join(scratch.path, "tasks/1.json"), "one\n")
    writeFileSync(join(scratch.path, "tasks/2.json"), "two\n")
    rmSync(join(scratch.path, "tasks/3.json"))
    expect(inspectMirrorFolder(scratch.path)).toEqual({ edited: [], missing: [] })
    const next = [PROJECT, file("tasks/1.json", "eins\n"), file("tasks/3.json", "drei\n")]
    expect(await writeOnce(scratch.path, next)).toMatchObject({ written: 2, removed: 1, edited: [] })
    expect(Object.keys(contentsOf(scratch.path))).toEqual(["project.json", "tasks/1.json", "tasks/3.json"])
  })

  it("a line of the manifest that was cut off costs neither itself nor the next one much", async () => {
    using scratch = makeScratch()
    await writeOnce(scratch.path, ALL)
    appendFileSync(join(scratch.path, MANIFEST), '{"path":"tasks/1.json","ha')
    const folder = openMirrorFolder(scratch.path, ALL, { name: TEAM })
    await folder.put([file("tasks/2.json", "dos\n")])
    expect(await writeOnce(scratch.path, [PROJECT, ONE, file("tasks/2.json", "zwei\n")])).toMatchObject({ edited: [] })
    expect(readFileSync(join(scratch.path, MANIFEST), "utf8").split("\n")).toHaveLength(5)
  })
})

describe("two mirrors in one folder", () => {
  it("see no edits in each other's files, also when one makes the manifest short", async () => {
    using scratch = makeScratch()
    const [first, second] = [1, 2].map(() => openMirrorFolder(scratch.path, ALL, { name: TEAM }))
    if (first === undefined || second === undefined) throw new Error("no folder")
    await first.put(ALL)
    await second.put(ALL)
    for (let round = 0; round < 20; round++) {
      await first.put([file("tasks/1.json", `a${round}`), file(`tasks/new${round}.json`, "x")])
      if (round % 3 === 0) first.finish(new Set(ALL.map((each) => each.path)))
      await second.put([file("tasks/1.json", `b${round}`), file("tasks/2.json", `b${round}`)])
      if (round % 5 === 0) second.finish(new Set(ALL.map((each) => each.path)))
      await first.put([file("tasks/2.json", `c${round}`)])
    }
    expect([first.takeReport().edited, second.takeReport().edited]).toEqual([[], []])
    expect(await writeOnce(scratch.path, ALL)).toMatchObject({ edited: [] })
    expect(existsSync(join(scratch.path, "edited"))).toBe(false)
  })
})

describe("links", () => {
  it("in the place of a file are replaced, and what they lead to stays as it is", async () => {
    using scratch = makeScratch()
    const path = join(scratch.path, "out")
    await writeOnce(path, ALL)
    writeFileSync(join(scratch.path, "elsewhere"), "untouched")
    rmSync(join(path, "tasks/1.json"))
    symlinkSync(join(scratch.path, "elsewhere"), join(path, "tasks/1.json"))
    expect(await writeOnce(path, ALL)).toMatchObject({ written: 1, edited: ["tasks/1.json"] })
    expect(lstatSync(join(path, "tasks/1.json")).isFile()).toBe(true)
    expect(readFileSync(join(scratch.path, "elsewhere"), "utf8")).toBe("untouched")
  })

  it("in the place of a folder are refused", async () => {
    using scratch = makeScratch()
    const path = join(scratch.path, "out")
    mkdirSync(join(scratch.path, "elsewhere"))
    mkdirSync(path)
    symlinkSync(join(scratch.path, "elsewhere"), join(path, "tasks"))
    const error = await failureOf(() => writeOnce(path, ALL))
    expect([error.code, error.message]).toEqual([
      "export.failed",
      `cannot write ${join(path, "tasks")}: it is a link, and nothing is written through links`,
    ])
    expect(readdirSync(path)).toEqual(["tasks"])
    expect(readdirSync(join(scratch.path, "elsewhere"))).toEqual([])
  })

  it("in the place of a folder are refused by a mirror that runs, too", async () => {
    using scratch = makeScratch()
    const path = join(scratch.path, "out")
    const folder = openMirrorFolder(path, ALL, { name: TEAM })
    await writeAll(folder, ALL)
    rmSync(join(path, "tasks"), { recursive: true })
    mkdirSync(join(scratch.path, "elsewhere"))
    symlinkSync(join(scratch.path, "elsewhere"), join(path, "tasks"))
    expect((await failureOf(() => folder.put([ONE]))).code).toBe("export.failed")
    expect(readdirSync(join(scratch.path, "elsewhere"))).toEqual([])
  })
})

describe("a folder that cannot be written", () => {
  it("because it is a file, or below one", async () => {
    using scratch = makeScratch()
    const path = join(scratch.path, "out")
    writeFileSync(path, "a file")
    for (const folder of [path, join(path, "below")]) {
      const error = await failureOf(() => writeOnce(folder, ALL))
      expect(error.code).toBe("export.failed")
      expect(error.message).toStartWith(`cannot write ${path}`)
      expect(error.message).toMatch(/is a file, not a folder$/)
    }
  })

  it("because a part of it is a file", async () => {
    using scratch = makeScratch()
    writeFileSync(join(scratch.path, "tasks"), "a file")
    const error = await failureOf(() => writeOnce(scratch.path, ALL))
    expect(error.message).toBe(`cannot write ${join(scratch.path, "tasks")}: it is a file where a folder is needed`)
  })

  it("because a newer teamwork wrote it", async () => {
    using scratch = makeScratch()
    writeFileSync(
      join(scratch.path, MANIFEST),
      `${JSON.stringify({ format: "teamwork-export", version: 2, ...TEAM })}\n`,
    )
    const error = await failureOf(() => writeOnce(scratch.path, ALL))
    expect([error.code, error.message]).toEqual(["export.failed", expect.stringContaining("a newer teamwork")])
  })

  it("says what the system says, in words", async () => {
    const refused = (code: string) =>
      failureOf(() =>
        onDisk("/x", () => {
          throw Object.assign(new Error(code), { code })
        }),
      )
    expect((await refused("EROFS")).message).toBe("cannot write /x: the disk is read-only")
    expect((await refused("EACCES")).message).toBe("cannot write /x: permission denied")
    expect((await refused("ENOSPC")).message).toBe("cannot write /x: no space is left on the disk")
    expect((await refused("EWHATEVER")).message).toBe("cannot write /x: EWHATEVER")
  })

  it("at a path that leads out of it or is not for views", async () => {
    using scratch = makeScratch()
    const path = join(scratch.path, "out")
    for (const bad of ["../x", "/x", "a/../../x", "a//b", "", "edited/x", "replaced/x", MANIFEST]) {
      expect((await failureOf(() => writeOnce(path, [file(bad, "x")]))).code).toBe("export.failed")
    }
    expect(readdirSync(scratch.path)).toEqual(["out"])
    expect(readdirSync(path)).toEqual([])
  })
})
