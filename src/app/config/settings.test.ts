import { expect, test } from "bun:test"
import { getSetting, isValidValue, SETTING_KEYS, variableOf } from "./settings.ts"

const VARIABLES_FROM_BEFORE = {
  "defaults.project": "TEAMWORK_PROJECT",
  "defaults.team": "TEAMWORK_TEAM",
  "team.agentTimeoutSeconds": "AGENT_TIMEOUT_SECONDS",
  projectsDirectory: "CLAWD_PROJECTS_DIR",
}

test("every default is valid", () => {
  for (const key of SETTING_KEYS) expect([key, isValidValue(key, getSetting(key).default)]).toEqual([key, true])
})

test("a variable is the key in upper snake case, unless it has another name", () => {
  expect(variableOf("team.maxAgents")).toBe("TEAMWORK_TEAM_MAX_AGENTS")
  expect(variableOf("agents.claude.model.haiku")).toBe("TEAMWORK_AGENTS_CLAUDE_MODEL_HAIKU")
  const named = SETTING_KEYS.filter((key) => key in VARIABLES_FROM_BEFORE)
  expect(Object.fromEntries(named.map((key) => [key, variableOf(key)]))).toEqual(VARIABLES_FROM_BEFORE)
})

test("no variable sets two keys", () => {
  expect(new Set(SETTING_KEYS.map(variableOf)).size).toBe(SETTING_KEYS.length)
})

test("no key is also a group", () => {
  for (const key of SETTING_KEYS) {
    expect(SETTING_KEYS.filter((other) => other.startsWith(`${key}.`))).toEqual([])
  }
})

type Value<Key extends Parameters<typeof getSetting>[0]> = ReturnType<typeof getSetting<Key>>["default"]

test("a value has the type of its setting", () => {
  const model: Value<"team.defaultModel"> = "opus"
  const count: Value<"team.maxAgents"> = 3
  const waits: Value<"team.restartBackoffSeconds"> = [1]
  // @ts-expect-error not one of the choices
  const wrong: Value<"team.defaultModel"> = "gpt"
  expect([model, count, waits, wrong]).toBeDefined()
})

test("the defaults of the lease fit each other", () => {
  expect(getSetting("claim.renewSeconds").default).toBeLessThan(getSetting("claim.workerLeaseSeconds").default)
})
