import { expect, test } from "bun:test"
import { CORE_KEYS } from "./core-keys.ts"
import { CONFIG_KEY_NAMES, CONFIG_KEYS, type Config, configRow } from "./keys.ts"
import { isConfigValue } from "./parse-value.ts"

const VARIABLES_FROM_BEFORE = {
  "defaults.project": "TEAMWORK_PROJECT",
  "defaults.team": "TEAMWORK_TEAM",
  "team.agentTimeoutSeconds": "AGENT_TIMEOUT_SECONDS",
  projectsDirectory: "CLAWD_PROJECTS_DIR",
}

test("every default fits its own row", () => {
  for (const key of CONFIG_KEY_NAMES)
    expect([key, isConfigValue(configRow(key), configRow(key).default)]).toEqual([key, true])
})

test("every variable is the key in capitals, but for those that have another name", () => {
  for (const key of CONFIG_KEY_NAMES) {
    const inCapitals = `TEAMWORK_${key.replaceAll(".", "_").replace(/[A-Z]/g, "_$&").toUpperCase()}`
    expect(configRow(key).env).toBe(Object.entries(VARIABLES_FROM_BEFORE).find(([k]) => k === key)?.[1] ?? inCapitals)
  }
})

test("no variable sets two keys", () => {
  expect(new Set(CONFIG_KEY_NAMES.map((key) => configRow(key).env)).size).toBe(CONFIG_KEY_NAMES.length)
})

test("no key is also a group", () => {
  for (const key of CONFIG_KEY_NAMES) {
    expect(CONFIG_KEY_NAMES.filter((other) => other.startsWith(`${key}.`))).toEqual([])
  }
})

test("a value has the type of its row", () => {
  const model: Config["team.defaultModel"] = "opus"
  const count: Config["team.maxAgents"] = 3
  const waits: Config["team.restartBackoffSeconds"] = [1]
  // @ts-expect-error not one of the choices
  const wrong: Config["team.defaultModel"] = "gpt"
  expect([model, count, waits, wrong]).toBeDefined()
})

test("what every call goes by is part of the table, and needs no other setting to be checked", () => {
  expect(CONFIG_KEYS).toMatchObject(CORE_KEYS)
  expect(CONFIG_KEYS["claim.renewSeconds"].default).toBeLessThan(CONFIG_KEYS["claim.workerLeaseSeconds"].default)
})
