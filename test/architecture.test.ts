// ARCHITECTURE.md is true: its rooms are the folders there are, the files it names exist, and its second walk is one that a
// reader can follow: each file is imported by one before it, or is the implementation behind a port of one before it.
import { describe, expect, it } from "bun:test"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

const ROOT = join(import.meta.dir, "..")
const TEXT = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8")
/** What a newcomer should have to open to follow a run from its command to its delivery. */
const LONGEST_WALK = 35
/** Everyone else knows only the port; the reader of a walk wants to see what stands behind it. */
const BEHIND_PORTS: Readonly<Record<string, string>> = {
  "src/store/sqlite/claim.ts": "src/store/port.ts",
  "src/agents/make-agent.ts": "src/agents/port.ts",
}

const sectionOf = (title: string) => TEXT.split(/^## /m).find((section) => section.startsWith(title)) ?? ""
const filesIn = (text: string) => [...text.matchAll(/`(src\/[\w./-]+\.ts)`/g)].map((match) => match[1] ?? "")
const transpiler = new Bun.Transpiler({ loader: "ts" })

function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8").replaceAll(/^import type /gm, "import ")
  return transpiler
    .scanImports(source)
    .flatMap(({ path }) => (path.startsWith(".") ? posix.join(posix.dirname(file), path) : []))
}

describe("ARCHITECTURE.md", () => {
  it("has a row for every room, and no other", () => {
    const rows = [...sectionOf("The rooms").matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1] ?? "")
    const rooms = readdirSync(join(ROOT, "src"))
    expect(rows.toSorted()).toEqual(rooms.toSorted())
  })

  it("names only files that exist", () => {
    expect(filesIn(TEXT).filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
    const first = [...sectionOf("The rooms").matchAll(/^\| `(\w+)` \|.*\| (.*) \|$/gm)].flatMap(
      ([, room, files = ""]) => [...files.matchAll(/`([\w./-]+\.ts)`/g)].map((match) => `src/${room}/${match[1]}`),
    )
    expect(first.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it("fits on two pages", () => {
    expect(TEXT.split("\n").length).toBeLessThan(130)
  })

  it(`leads from a plan to its delivery in at most ${LONGEST_WALK} files, each reached from one before it`, () => {
    const walk = filesIn(sectionOf("Second walk"))
    expect(walk.length).toBeGreaterThan(20)
    expect(walk.length).toBeLessThanOrEqual(LONGEST_WALK)
    expect(new Set(walk).size).toBe(walk.length)
    const lost = walk.slice(1).filter((file, at) => {
      const before = new Set(walk.slice(0, at + 1).flatMap(importsOf))
      return !before.has(BEHIND_PORTS[file] ?? file)
    })
    expect(lost).toEqual([])
  })
})
