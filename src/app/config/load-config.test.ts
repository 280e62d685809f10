import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { type ConfigInput, loadConfig } from "./load-config.ts"
import { getSetting, isValidValue, SETTING_KEYS, type SettingKey, variableOf } from "./settings.ts"

let root = ""
let userHome = ""
let repository = ""
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "load-config-")))
  userHome = join(root, "home")
  repository = join(root, "repo")
  write(join(repository, ".git", "HEAD"), "ref: refs/heads/trunk\n")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2))
}
const writeHome = (content: unknown) => write(join(userHome, ".claude", "teamwork", "config.json"), content)
const writeRepository = (content: unknown) => write(join(repository, "teamwork.json"), content)
const writeForge = (content: unknown) => write(join(userHome, ".claude-forge", "config.json"), content)
const writeClaude = (content: unknown) => write(join(userHome, ".claude", "config.json"), content)

async function load(input: Partial<ConfigInput> = {}) {
  return loadConfig({ cwd: repository, ...input, env: { HOME: userHome, ...input.env } })
}

async function refusal(input: Partial<ConfigInput> = {}): Promise<string> {
  try {
    await load(input)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.message).not.toContain("\n")
    return `${error.code} | ${error.message.replaceAll(root, "ROOT")}`
  }
  return "nothing refused"
}

describe("layers", () => {
  test("without any file everything has its default", async () => {
    const loaded = await load()
    for (const key of SETTING_KEYS) expect(loaded.config(key)).toEqual(getSetting(key).default)
    expect(loaded.home).toBe(join(userHome, ".claude", "teamwork"))
    expect(loaded.homeFile).toBe(join(userHome, ".claude", "teamwork", "config.json"))
    expect(loaded.repositoryFile).toBe(join(repository, "teamwork.json"))
  })

  test("each layer wins over those below it", async () => {
    const maxAgents = async (input?: Partial<ConfigInput>) => (await load(input)).config("team.maxAgents")
    expect(await maxAgents()).toBe(5)
    writeForge({ team: { maxAgents: 6 } })
    expect(await maxAgents()).toBe(6)
    writeHome({ team: { maxAgents: 7 } })
    expect(await maxAgents()).toBe(7)
    writeRepository({ team: { maxAgents: 8 } })
    expect(await maxAgents()).toBe(8)
    const env = { TEAMWORK_TEAM_MAX_AGENTS: "9" }
    expect(await maxAgents({ env })).toBe(9)
    expect(await maxAgents({ env, flags: { "team.maxAgents": "10" } })).toBe(10)
    expect(await maxAgents({ env, flags: { "team.maxAgents": undefined } })).toBe(9)
  })

  test("a layer that is silent on a key lets the lower one through", async () => {
    writeForge({ team: { maxAgents: 6, defaultModel: "opus", maxConsecutiveErrors: 9 } })
    writeHome({ $schema: "x", team: { maxAgents: 7, enableCascade: false } })
    writeRepository({ team: { defaultModel: "haiku" } })
    const { config } = await load()
    expect(config("team.maxAgents")).toBe(7)
    expect(config("team.defaultModel")).toBe("haiku")
    expect(config("team.maxConsecutiveErrors")).toBe(9)
    expect(config("team.enableCascade")).toBe(false)
  })

  test("every key can be set by its variable", async () => {
    const samples = ["/x", "40", "1500", "false", "a, b c", "1,2", "child", "edit"]
    for (const key of SETTING_KEYS) {
      const { parse, isPath, default: value } = getSetting(key)
      const texts = [...samples, ...(isPath ? [] : [String(value)])]
      const text = texts.find((each) => typeof parse(each) === typeof value && isValidValue(key, parse(each))) ?? ""
      const { config } = await load({ env: { [variableOf(key)]: text } })
      expect<unknown>([key, config(key)]).toEqual([key, text === "" ? value : parse(text)])
    }
    const env = {
      TEAMWORK_STORE: "postgres://db/x",
      TEAMWORK_PROJECT: "p",
      TEAMWORK_TEAM: "t",
      CLAWD_PROJECTS_DIR: "/docs",
      TEAMWORK_TEAM_DEFAULT_MODEL: "opus",
      TEAMWORK_AGENTS_PRICES: "a=1/0.1/5, b=0.5/0/2@2026-01-31",
      TEAMWORK_AGENTS_ACP_COMMAND: "gemini --acp",
      TEAMWORK_AGENTS_CODEX_COMMAND: "codex,--verbose",
    }
    const { config } = await load({ env })
    expect(config("store")).toBe("postgres://db/x")
    expect([config("defaults.project"), config("defaults.team"), config("projectsDirectory")]).toEqual([
      "p",
      "t",
      "/docs",
    ])
    expect(config("team.defaultModel")).toBe("opus")
    // A command line stays whole until it is used; commas separate where nothing else does.
    expect(config("agents.acp.command")).toEqual(["gemini --acp"])
    expect(config("agents.codex.command")).toEqual(["codex", "--verbose"])
    expect(config("agents.prices")).toEqual(["a=1/0.1/5", "b=0.5/0/2@2026-01-31"])
  })

  test("an empty variable counts as not set", async () => {
    const env = { TEAMWORK_TEAM_MAX_AGENTS: "", TEAMWORK_STORE: "", TEAMWORK_HOME: "", TEAMWORK_TEST_BASE_DIR: "" }
    const loaded = await load({ env })
    expect(loaded.config("team.maxAgents")).toBe(5)
    expect(loaded.home).toBe(join(userHome, ".claude", "teamwork"))
  })
})

describe("files of older programs", () => {
  test("only the known settings are taken", async () => {
    writeForge({
      team: { maxAgents: 6, enableCrossCliVerification: false, maxRestarts: 9, extra: 1 },
      store: "sqlite:/x",
      other: {},
    })
    writeClaude({ projectsDirectory: "/docs", team: { maxAgents: 60 }, theme: "dark" })
    const { config } = await load()
    expect(config("team.maxAgents")).toBe(6)
    expect(config("team.enableCrossCliVerification")).toBe(false)
    expect(config("team.maxRestarts")).toBe(3)
    expect(config("store")).toBe("")
    expect(config("projectsDirectory")).toBe("/docs")
  })

  test("all ten settings of the old team", async () => {
    const team = {
      maxAgents: 6,
      defaultAgentType: "designer",
      defaultModel: "haiku",
      monitorIntervalMs: 1,
      shutdownTimeoutMs: 2,
      watchdogWarningMs: 3,
      watchdogReassignMs: 4,
      maxConsecutiveErrors: 5,
      enableCascade: false,
      enableCrossCliVerification: false,
    }
    writeForge({ team })
    const { config } = await load()
    for (const [name, value] of Object.entries(team))
      expect<unknown>([name, config(`team.${name}` as SettingKey)]).toEqual([name, value])
  })

  test("whatever is wrong there stops nothing", async () => {
    for (const broken of ["{ broken", "[]", "", '{"team": 5}', '{"team": {"maxAgents": "many"}}', "null"]) {
      writeForge(broken)
      writeClaude(broken)
      expect((await load()).config("team.maxAgents")).toBe(5)
    }
    writeForge({ team: { maxAgents: 0, defaultModel: "opus" } })
    writeClaude({ projectsDirectory: 5 })
    const { config } = await load()
    expect(config("team.maxAgents")).toBe(5)
    expect(config("team.defaultModel")).toBe("opus")
    expect(config("projectsDirectory")).toBe("")
  })
})

describe("places", () => {
  test("TEAMWORK_HOME moves our home but not the user's", async () => {
    write(join(root, "own", "config.json"), { team: { maxAgents: 7 } })
    writeForge({ team: { defaultModel: "opus" } })
    const loaded = await load({ env: { TEAMWORK_HOME: join(root, "own") } })
    expect(loaded.homeFile).toBe(join(root, "own", "config.json"))
    expect(loaded.config("team.maxAgents")).toBe(7)
    expect(loaded.config("team.defaultModel")).toBe("opus")
  })

  test("with a test's base folder no real home is read, however broken it is", async () => {
    writeHome("{ broken")
    writeForge({ team: { maxAgents: 60 } })
    writeClaude({ projectsDirectory: "/real" })
    const base = join(root, "base")
    const env = { TEAMWORK_TEST_BASE_DIR: base, TEAMWORK_HOME: join(userHome, ".claude", "teamwork") }
    const loaded = await load({ env })
    expect(loaded.home).toBe(base)
    expect(loaded.config("team.maxAgents")).toBe(5)
    expect(loaded.config("projectsDirectory")).toBe("")
    write(join(base, ".claude-forge", "config.json"), { team: { maxAgents: 4 } })
    expect((await load({ env })).config("team.maxAgents")).toBe(4)
  })

  test("the repository file is found from below, and of a worktree it is its own", async () => {
    writeRepository({ team: { maxAgents: 8 } })
    const deep = join(repository, "a", "b")
    mkdirSync(deep, { recursive: true })
    write(join(deep, "teamwork.json"), "{ broken and not looked at")
    expect((await load({ cwd: deep })).config("team.maxAgents")).toBe(8)
    const worktree = join(root, "worktree")
    write(join(worktree, ".git"), "gitdir: ../repo/.git/worktrees/w")
    write(join(worktree, "teamwork.json"), { team: { maxAgents: 9 } })
    expect((await load({ cwd: worktree })).config("team.maxAgents")).toBe(9)
  })

  test("without a repository it is the file in the current folder", async () => {
    const cwd = join(root, "plain")
    write(join(cwd, "teamwork.json"), { team: { maxAgents: 8 } })
    const loaded = await load({ cwd })
    expect(loaded.config("team.maxAgents")).toBe(8)
    expect(loaded.repositoryFile).toBe(join(cwd, "teamwork.json"))
  })

  test("a path counts from where it is written", async () => {
    const below = join(repository, "below")
    mkdirSync(below)
    writeClaude({ projectsDirectory: "docs" })
    writeHome({ store: "sqlite:state/a.db" })
    const first = (await load({ cwd: below })).config
    expect(first("store")).toBe(`sqlite:${join(userHome, ".claude", "teamwork", "state", "a.db")}`)
    expect(first("projectsDirectory")).toBe(join(userHome, "docs"))
    writeRepository({ store: "sqlite:./b.db", projectsDirectory: "~/notes" })
    const untrusted = await load({ cwd: below })
    expect(untrusted.config("store")).toBe(first("store"))
    expect(untrusted.untrusted).toEqual(["store", "projectsDirectory"])
    const second = (await load({ cwd: below, env: { TEAMWORK_TRUST: "all" } })).config
    expect(second("store")).toBe(`sqlite:${join(repository, "b.db")}`)
    expect(second("projectsDirectory")).toBe(join(userHome, "notes"))
    const env = { TEAMWORK_TRUST: "all", TEAMWORK_STORE: "sqlite:../c.db", CLAWD_PROJECTS_DIR: "." }
    const third = (await load({ cwd: below, env })).config
    expect(third("store")).toBe(`sqlite:${join(repository, "c.db")}`)
    expect(third("projectsDirectory")).toBe(below)
    const flagged = async (store: string) => (await load({ cwd: below, flags: { store } })).config("store")
    expect(await flagged("sqlite:d.db")).toBe(`sqlite:${join(below, "d.db")}`)
    expect(await flagged("sqlite:/abs/e.db")).toBe("sqlite:/abs/e.db")
    expect(await flagged("sqlite::memory:")).toBe("sqlite::memory:")
    expect(await flagged("postgres://db/x")).toBe("postgres://db/x")
  })
})

describe("what is wrong is said in one line", () => {
  test("an unknown key, with its line and the key it was meant to be", async () => {
    writeRepository('{\n  "$schema": "x",\n  "team": {\n    "maxAgent": 3\n  }\n}\n')
    expect(await refusal()).toBe(
      "config.unknown_key | teamwork.json:4: unknown key team.maxAgent; did you mean team.maxAgents?",
    )
    const below = join(repository, "below")
    mkdirSync(below)
    expect(await refusal({ cwd: below })).toBe(
      "config.unknown_key | ROOT/repo/teamwork.json:4: unknown key team.maxAgent; did you mean team.maxAgents?",
    )
  })

  test.each([
    ['{"maxAgents": 3}', "unknown key maxAgents; did you mean team.maxAgents?"],
    ['{"claim": {"maxRestarts": 3}}', "unknown key claim.maxRestarts; did you mean team.maxRestarts?"],
    ['{"teams": {"maxAgents": 3}}', "unknown key teams; did you mean team?"],
    ['{"Team": {"maxAgents": 3}}', "unknown key Team; did you mean team?"],
    ['{"project": "x"}', "unknown key project; did you mean defaults.project?"],
    ['{"leaseSecond": 3}', "unknown key leaseSecond; did you mean claim.leaseSeconds?"],
    ['{"zebra": 3}', "unknown key zebra"],
    ['{"a\\nb": 3}', 'unknown key "a\\nb"'],
    ['{"": 3}', 'unknown key ""'],
    ['{"__proto__": 3}', "unknown key __proto__"],
    ['{"constructor": {"name": 3}}', "unknown key constructor"],
    ['{"team.maxAgents": 3}', "write team.maxAgents as nested objects, not with a dot in the name"],
    ['{"team": {"$schema": "x"}}', "unknown key team.$schema"],
  ])("%s", async (text, message) => {
    writeRepository(text)
    expect(await refusal()).toBe(`config.unknown_key | teamwork.json:1: ${message}`)
  })

  test.each([
    ['{"team": {"maxAgents": "3"}}', 'team.maxAgents: expected a whole number from 1 to 64, found "3"'],
    ['{"team": {"maxAgents": 65}}', "team.maxAgents: expected a whole number from 1 to 64, found 65"],
    ['{"team": {"maxRestarts": -1}}', "team.maxRestarts: expected a whole number of at least 0, found -1"],
    ['{"team": {"defaultModel": "gpt"}}', 'team.defaultModel: expected one of haiku, sonnet, opus, found "gpt"'],
    ['{"team": {"defaultAgentType": ""}}', 'team.defaultAgentType: expected the name of an agent type, found ""'],
    ['{"team": {"enableCascade": "yes"}}', 'team.enableCascade: expected true or false, found "yes"'],
    ['{"evidence": {"warnPatterns": "x"}}', 'evidence.warnPatterns: expected a list of texts, found "x"'],
    ...["gpt", "gpt=1/2", "gpt=1/2/x", "=1/2/3", "gpt=1/2/3@soon", "gpt=1./2/3"].map((row) => [
      `{"agents": {"prices": ["${row}"]}}`,
      `agents.prices: expected a list of MODEL=INPUT/CACHED/OUTPUT@DATE, such as gpt-5.5=5/0.5/30@2026-06-04, found ["${row}"]`,
    ]),
    [
      '{"agents": {"codex": {"promptLimit": 10}}}',
      "agents.codex.promptLimit: expected a whole number of at least 1000, found 10",
    ],
    ['{"agents": {"codex": {"enabled": "no"}}}', 'agents.codex.enabled: expected true or false, found "no"'],
    ['{"defaults": {"team": null}}', "defaults.team: expected a text, found null"],
    ['{"store": {"path": "x"}}', "store: expected sqlite:PATH or postgres://..., found an object"],
    ['{"store": "x.db"}', 'store: expected sqlite:PATH or postgres://..., found "x.db"'],
    ['{"team": 5}', "team must be an object, found 5"],
    ['{"team": ["maxAgents"]}', 'team must be an object, found ["maxAgents"]'],
    [
      '{"team": {"restartBackoffSeconds": [1.5]}}',
      "team.restartBackoffSeconds: expected a list of whole numbers from 0 to 2147483, found [1.5]",
    ],
  ])("%s", async (text, message) => {
    writeRepository(text)
    expect(await refusal()).toBe(`config.bad_value | teamwork.json:1: ${message}`)
  })

  test("the line is right with Windows line ends, a byte order mark and other scripts", async () => {
    writeRepository(
      '\uFEFF{\r\n  "defaults": {"project": "日本語😀"},\r\n  "team": {\r\n    "maxAgents": 0\r\n  }\r\n}\r\n',
    )
    expect(await refusal()).toStartWith("config.bad_value | teamwork.json:4: team.maxAgents:")
  })

  test("broken JSON, with line, column and what was found", async () => {
    writeHome('{\n  "team": {\n    "maxAgents": 3,\n  }\n}\n')
    expect(await refusal()).toBe(
      "config.bad_file | ROOT/home/.claude/teamwork/config.json:3:19: not valid JSON: Property name must be a string literal",
    )
    writeHome("")
    expect(await refusal()).toContain("config.json:1:1: not valid JSON: Unexpected EOF")
    writeHome("[1]")
    expect(await refusal()).toContain("config.bad_file | ROOT/home/.claude/teamwork/config.json:1: the file must be an")
  })

  test("the lower layer is named first", async () => {
    writeHome({ zebra: 1 })
    writeRepository({ giraffe: 1 })
    expect(await refusal({ env: { TEAMWORK_TEAM_MAX_AGENTS: "x" } })).toContain("zebra")
  })

  test("a file that cannot be read", async () => {
    symlinkSync("/proc/self/mem", join(repository, "teamwork.json"))
    expect(await refusal()).toContain("config.bad_file | cannot read ROOT/repo/teamwork.json")
  })

  test.each([
    ["TEAMWORK_TEAM_MAX_AGENTS", "many", 'expected a whole number from 1 to 64, found "many"'],
    ["TEAMWORK_BUDGET_TEAM_DOLLARS", "-0.5", 'expected a number of at least 0, found "-0.5"'],
    ["TEAMWORK_BUDGET_TEAM_TOKENS", "1.5", 'expected a whole number of at least 0, found "1.5"'],
    [
      "TEAMWORK_TEAM_ON_BLOCKER_FAILED",
      "never",
      'expected one of ask, retry, remove-need, skip-dependants, found "never"',
    ],
    ["AGENT_TIMEOUT_SECONDS", "-1", 'expected a whole number from 0 to 2147483, found "-1"'],
    ["TEAMWORK_TEAM_ENABLE_CASCADE", "maybe", 'expected true or false, found "maybe"'],
    ["TEAMWORK_STORE", "mysql://ann:pw@db", 'expected sqlite:PATH or postgres://..., found "mysql://ann:***@db"'],
    ["TEAMWORK_TEAM_RESTART_BACKOFF_SECONDS", "1,x", 'expected a list of whole numbers from 0 to 2147483, found "1,x"'],
  ])("the variable %s=%s", async (name, value, message) => {
    expect(await refusal({ env: { [name]: value } })).toBe(`config.bad_value | ${name}: ${message}`)
  })

  test("a flag", async () => {
    expect(await refusal({ flags: { "team.maxAgents": "0" } })).toBe(
      'config.bad_value | team.maxAgents: expected a whole number from 1 to 64, found "0"',
    )
  })

  test("a lease that would end before it is renewed", async () => {
    expect(await refusal({ env: { TEAMWORK_CLAIM_WORKER_LEASE_SECONDS: "30" } })).toBe(
      "config.bad_value | claim.renewSeconds must be less than claim.workerLeaseSeconds, found 30 and 30; fix one of them with: teamwork config set --key KEY --value VALUE, or teamwork config unset --key KEY",
    )
  })

  test("details carry the place for programs", async () => {
    writeRepository('{\n"team": {"maxAgent": 1}}')
    const error: unknown = await load().catch((thrown: unknown) => thrown)
    expect(error instanceof AppError && error.details).toEqual({ file: "teamwork.json", line: 2, key: "team.maxAgent" })
  })
})
