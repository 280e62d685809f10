// How `npm run test:clis` comes by the CLIs, with an npm that does what a test wants.
import { afterEach, expect, it } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { installCli, installedVersion } from "../clis/install.ts"
import { openToAll } from "../clis/open-to-all.ts"
import type { Pinned } from "../clis/pinned.ts"
import { makeScratch } from "../support/sandbox.ts"

const PINNED: Pinned = { name: "codex-acp", package: "codex-acp", version: "2.6.0", bridgeTo: "codex" }
const PATH = process.env.PATH

afterEach(() => {
  process.env.PATH = PATH
})

/** `body` finds the folder to install into in `$3`. */
function withNpm(folder: string, body: string): string {
  const [bin, cache] = [join(folder, "bin"), join(folder, "cache")]
  mkdirSync(bin)
  writeFileSync(join(bin, "npm"), `#!/bin/sh\necho "$*" >> ${folder}/calls\n${body}\n`)
  chmodSync(join(bin, "npm"), 0o755)
  process.env.PATH = `${bin}:${PATH}`
  return cache
}

const install = (version: string) =>
  `umask 077; mkdir -p "$3/node_modules/codex-acp"; echo '{"version":"${version}"}' > "$3/node_modules/codex-acp/package.json"`
const callsIn = (folder: string) => readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n")

it("is installed once, without the CLI that a bridge would bring along, for everybody to read", async () => {
  using scratch = makeScratch()
  const cache = withNpm(scratch.path, install("2.6.0"))
  await installCli(cache, PINNED)
  await installCli(cache, PINNED)
  expect(callsIn(scratch.path)).toHaveLength(1)
  expect(callsIn(scratch.path)[0]).toMatch(/--omit=optional codex-acp@2\.6\.0$/)
  expect(readdirSync(cache)).toEqual(["codex-acp-2.6.0"])
  const file = join(cache, "codex-acp-2.6.0/node_modules/codex-acp/package.json")
  expect(statSync(file).mode & 0o004).toBe(0o004)
})

it("does not let an install script settle in the home", async () => {
  using scratch = makeScratch()
  const cache = withNpm(scratch.path, `touch "$HOME/settled"; echo "$HOME" > ${scratch.path}/home; ${install("2.6.0")}`)
  await installCli(cache, PINNED)
  const home = readFileSync(join(scratch.path, "home"), "utf8").trim()
  expect(home).not.toBe(process.env.HOME ?? "")
  expect(home).toStartWith(cache)
  expect(existsSync(home)).toBe(false)
})

it("is tried once more when it fails", async () => {
  using scratch = makeScratch()
  const cache = withNpm(
    scratch.path,
    `[ -e ${scratch.path}/tried ] || { touch ${scratch.path}/tried; exit 1; }; ${install("2.6.0")}`,
  )
  await installCli(cache, PINNED)
  expect(installedVersion(cache, PINNED)).toBe("2.6.0")
  expect(callsIn(scratch.path)).toHaveLength(2)
})

it("says what could not be installed, and leaves nothing half done", async () => {
  using scratch = makeScratch()
  const cache = withNpm(scratch.path, "exit 1")
  await expect(installCli(cache, PINNED)).rejects.toThrow("could not install codex-acp@2.6.0 into")
  expect(readdirSync(cache)).toEqual([])
})

it("is reached by everybody, if need be as a copy, as long as the tests run", () => {
  using scratch = makeScratch()
  const [locked, cache] = [join(scratch.path, "locked"), join(scratch.path, "locked/cache")]
  mkdirSync(cache, { recursive: true })
  writeFileSync(join(cache, "cli"), "here")
  chmodSync(locked, 0o700)
  const opened = openToAll(cache)
  expect(readFileSync(join(opened.cache, "cli"), "utf8")).toBe("here")
  // Only root has somebody else to care for.
  expect(opened.cache === cache).toBe(process.getuid?.() !== 0)
  expect(statSync(opened.env.TMPDIR ?? "").mode & 0o777).toBe(0o711)
  opened[Symbol.dispose]()
  expect(existsSync(opened.env.TMPDIR ?? "")).toBe(false)
  expect(existsSync(join(cache, "cli"))).toBe(true)
})
