import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { listConfig } from "./list-config.ts"
import type { ConfigInput } from "./load-config.ts"
import { SETTING_KEYS, type SettingKey } from "./settings.ts"

let root = ""
let repository = ""
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "list-config-")))
  repository = join(root, "repo")
  mkdirSync(join(repository, ".git"), { recursive: true })
  writeFileSync(join(repository, ".git", "HEAD"), "ref: refs/heads/trunk\n")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

async function list(input: Partial<ConfigInput> = {}) {
  const { settings, warnings } = await listConfig({ cwd: repository, ...input, env: { HOME: root, ...input.env } })
  return {
    keys: settings.map((setting) => setting.key),
    of: (key: SettingKey) => {
      const { value, origin, where } = settings.find((setting) => setting.key === key) ?? {}
      return [value, origin, where?.replace(root, "ROOT")]
    },
    warnings: warnings.map((warning) => warning.replace(root, "ROOT")),
  }
}

test("every key tells where its value comes from", async () => {
  write(".claude-forge/config.json", '{\n  "team": {\n    "maxAgents": 6, "defaultModel": "opus"\n  }\n}')
  write(".claude/config.json", '{\r\n"x": 1,\r\n"projectsDirectory": "/docs"}')
  write(".claude/teamwork/config.json", '{"team": {"maxAgents": 7,\n"maxRestarts": 1}}')
  write("repo/teamwork.json", '{\n"$schema": "x",\n"evidence": {"warnPatterns":\n["x"]}}')
  const listing = await list({ env: { AGENT_TIMEOUT_SECONDS: "9" }, flags: { "claim.renewSeconds": "5" } })
  expect(listing.keys).toEqual([...SETTING_KEYS])
  expect(listing.of("team.maxGeneratedRoles")).toEqual([5, "default", "built in"])
  expect(listing.of("team.defaultModel")).toEqual(["opus", "old file", "ROOT/.claude-forge/config.json:3"])
  expect(listing.of("projectsDirectory")).toEqual(["/docs", "old file", "ROOT/.claude/config.json:3"])
  expect(listing.of("team.maxAgents")).toEqual([7, "home file", "ROOT/.claude/teamwork/config.json:1"])
  expect(listing.of("team.maxRestarts")).toEqual([1, "home file", "ROOT/.claude/teamwork/config.json:2"])
  expect(listing.of("evidence.warnPatterns")).toEqual([["x"], "repository file", "ROOT/repo/teamwork.json:3"])
  expect(listing.of("team.agentTimeoutSeconds")).toEqual([9, "env", "AGENT_TIMEOUT_SECONDS"])
  expect(listing.of("claim.renewSeconds")).toEqual([5, "flag", "command line"])
  expect(listing.warnings).toEqual([])
})

test("a password is not shown", async () => {
  const listing = await list({ env: { TEAMWORK_STORE: "postgres://ann:s3cret@db/x" } })
  expect(listing.of("store")).toEqual(["postgres://ann:***@db/x", "env", "TEAMWORK_STORE"])
})

test("what is ignored in files of other programs becomes a warning", async () => {
  write(".claude-forge/config.json", '{"team": {\n"maxAgents": 0,\n"defaultModel": "opus", "extra": 1}}')
  write(".claude/config.json", "{\n")
  const listing = await list()
  expect(listing.of("team.defaultModel")).toEqual(["opus", "old file", "ROOT/.claude-forge/config.json:3"])
  expect(listing.warnings).toEqual([
    "ignored: ROOT/.claude-forge/config.json:2: team.maxAgents: expected a whole number from 1 to 64, found 0",
    "ignored: ROOT/.claude/config.json:2:1: not valid JSON: Expected '}'",
  ])
})

test("a variable that looks like a slip becomes a warning", async () => {
  const env = { TEAMWORK_TEAM_MAX_AGENT: "3", TEAMWORK_WORKER: "w1", TEAMWORK_TEAM_ZEBRA: "1", OTHER: "x" }
  expect((await list({ env })).warnings).toEqual([
    "ignored: unknown variable TEAMWORK_TEAM_MAX_AGENT; did you mean TEAMWORK_TEAM_MAX_AGENTS?",
  ])
})

test("our own broken files are refused as at every start", async () => {
  write("repo/teamwork.json", '{"zebra": 1}')
  await expect(list()).rejects.toThrow("teamwork.json:1: unknown key zebra")
})
