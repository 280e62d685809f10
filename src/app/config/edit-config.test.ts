import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { setConfig, unsetConfig } from "./edit-config.ts"

let root = ""
let file = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "edit-config-"))
  file = join(root, "config.json")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const content = () => readFileSync(file, "utf8")

function refusal(edit: () => unknown): string {
  try {
    edit()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return `${error.code} | ${error.message.replaceAll(root, "ROOT")}`
  }
  return "nothing refused"
}

describe("set", () => {
  test("makes the file and its folders", () => {
    file = join(root, "a", "b", "config.json")
    expect(setConfig({ file, key: "team.maxAgents", value: "3" })).toEqual({ file, changed: true })
    expect(content()).toBe('{\n  "team": {\n    "maxAgents": 3\n  }\n}\n')
    expect(readdirSync(join(root, "a", "b"))).toEqual(["config.json"])
  })

  test("keeps the other keys in their order, wrong ones too", () => {
    writeFileSync(file, '{"$schema":"x","zebra":{"a":[1]},"team":{"maxRestarts":1,"maxAgents":2,"oops":true}}')
    setConfig({ file, key: "team.maxAgents", value: "3" })
    setConfig({ file, key: "claim.leaseSeconds", value: "60" })
    expect(content()).toBe(
      `${JSON.stringify(
        {
          $schema: "x",
          zebra: { a: [1] },
          team: { maxRestarts: 1, maxAgents: 3, oops: true },
          claim: { leaseSeconds: 60 },
        },
        null,
        2,
      )}\n`,
    )
  })

  test("reads text as the key's type", () => {
    setConfig({ file, key: "team.enableCascade", value: "false" })
    setConfig({ file, key: "team.restartBackoffSeconds", value: "1,2" })
    setConfig({ file, key: "evidence.warnPatterns", value: '["a, b", "c"]' })
    setConfig({ file, key: "evidence.blockedPatterns", value: "" })
    setConfig({ file, key: "store", value: "sqlite:x.db" })
    expect(JSON.parse(content())).toEqual({
      team: { enableCascade: false, restartBackoffSeconds: [1, 2] },
      evidence: { warnPatterns: ["a, b", "c"], blockedPatterns: [] },
      store: "sqlite:x.db",
    })
  })

  test("says when it changed nothing, and leaves the file as it is", () => {
    writeFileSync(file, '{"team":{"maxAgents":3}}')
    expect(setConfig({ file, key: "team.maxAgents", value: "3" }).changed).toBe(false)
    expect(content()).toBe('{"team":{"maxAgents":3}}')
  })

  test("keeps Windows line ends, and drops a byte order mark", () => {
    writeFileSync(file, '\uFEFF{\r\n  "store": ""\r\n}\r\n')
    setConfig({ file, key: "team.maxAgents", value: "3" })
    expect(content()).toBe('{\r\n  "store": "",\r\n  "team": {\r\n    "maxAgents": 3\r\n  }\r\n}\r\n')
  })

  test("keeps the file's permissions, and a link a link", () => {
    const target = join(root, "dotfiles.json")
    writeFileSync(target, "{}")
    chmodSync(target, 0o600)
    symlinkSync(target, file)
    setConfig({ file, key: "team.maxAgents", value: "3" })
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(readFileSync(target, "utf8")).toContain('"maxAgents": 3')
  })

  test("replaces the file in one step: who has the old one open keeps it whole", () => {
    writeFileSync(file, "{}")
    const before = statSync(file).ino
    setConfig({ file, key: "team.maxAgents", value: "3" })
    expect(statSync(file).ino).not.toBe(before)
    expect(readdirSync(root)).toEqual(["config.json"])
  })

  test("refuses unknown keys and values that do not fit, and touches nothing", () => {
    expect(refusal(() => setConfig({ file, key: "team.maxAgent", value: "3" }))).toBe(
      "config.unknown_key | unknown key team.maxAgent; did you mean team.maxAgents?",
    )
    expect(refusal(() => setConfig({ file, key: "team", value: "3" }))).toBe(
      "config.unknown_key | team is a group of keys; name one of them, such as team.maxAgents",
    )
    expect(refusal(() => setConfig({ file, key: "__proto__.x", value: "3" }))).toStartWith("config.unknown_key")
    expect(refusal(() => setConfig({ file, key: "team.maxAgents", value: "many" }))).toBe(
      'config.bad_value | team.maxAgents: expected a whole number from 1 to 64, found "many"',
    )
    expect(readdirSync(root)).toEqual([])
  })

  test("refuses to edit what it cannot understand", () => {
    writeFileSync(file, "{\n oops\n}")
    const edit = () => setConfig({ file, key: "team.maxAgents", value: "3" })
    expect(refusal(edit)).toBe("config.bad_file | ROOT/config.json:2:2: not valid JSON: Expected '}'")
    expect(content()).toBe("{\n oops\n}")
    writeFileSync(file, "[]")
    expect(refusal(edit)).toBe("config.bad_file | ROOT/config.json:1: the file must be an object, found []")
    writeFileSync(file, '{\n"team": 5}')
    expect(refusal(edit)).toBe("config.bad_value | ROOT/config.json:2: team must be an object, found 5")
    expect(content()).toBe('{\n"team": 5}')
  })

  test("says why it cannot write, and leaves nothing behind", () => {
    writeFileSync(join(root, "blocked"), "")
    file = join(root, "blocked", "config.json")
    expect(refusal(() => setConfig({ file, key: "team.maxAgents", value: "3" }))).toBe(
      "config.bad_file | cannot write ROOT/blocked/config.json: a part of its path is not a folder",
    )
    expect(readdirSync(root)).toEqual(["blocked"])
  })

  test("a folder in the file's place", () => {
    mkdirSync(file)
    expect(refusal(() => setConfig({ file, key: "team.maxAgents", value: "3" }))).toBe(
      "config.bad_file | cannot read ROOT/config.json: it is a folder",
    )
  })
})

describe("unset", () => {
  test("takes the key out, and a group that is then empty", () => {
    writeFileSync(file, '{"store": "", "team": {"maxAgents": 3, "maxRestarts": 1}}')
    expect(unsetConfig({ file, key: "team.maxAgents" })).toEqual({ file, changed: true })
    expect(content()).toBe('{\n  "store": "",\n  "team": {\n    "maxRestarts": 1\n  }\n}\n')
    unsetConfig({ file, key: "team.maxRestarts" })
    expect(content()).toBe('{\n  "store": ""\n}\n')
  })

  test("says when the key was not set there", () => {
    expect(unsetConfig({ file, key: "team.maxAgents" })).toEqual({ file, changed: false })
    expect(readdirSync(root)).toEqual([])
    writeFileSync(file, '{"team": 5}')
    expect(unsetConfig({ file, key: "team.maxAgents" }).changed).toBe(false)
    expect(content()).toBe('{"team": 5}')
  })

  test("takes out an unknown key where it stands, and refuses one that is nowhere", () => {
    writeFileSync(file, '{"team": {"maxAgent": 3}}')
    expect(unsetConfig({ file, key: "team.maxAgent" }).changed).toBe(true)
    expect(content()).toBe("{}\n")
    expect(refusal(() => unsetConfig({ file, key: "team.maxAgent" }))).toBe(
      "config.unknown_key | unknown key team.maxAgent; did you mean team.maxAgents?",
    )
  })
})

test("a reader never sees half a file while it is being edited", async () => {
  writeFileSync(file, "{}")
  const script = `
    import { setConfig } from ${JSON.stringify(join(import.meta.dir, "edit-config.ts"))}
    for (let i = 0; i < 100; i++) setConfig({ file: ${JSON.stringify(file)}, key: "team.maxAgents", value: String(1 + (i % 64)) })
  `
  const writer = Bun.spawn([process.execPath, "-e", script], { env: { HOME: root }, stderr: "inherit" })
  let reads = 0
  while (writer.exitCode === null) {
    JSON.parse(content())
    reads++
    await new Promise(setImmediate)
  }
  expect(writer.exitCode).toBe(0)
  expect(reads).toBeGreaterThan(1)
})
