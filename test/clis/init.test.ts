// What `teamwork init` writes into a repository is what the real programs read there: each starts the MCP server, calls
// the hooks, and does what they answer.
import { expect, it } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { quoteArgument } from "../../src/lib/text/quote-argument.ts"
import { runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { commandOf, FAKE_KEY, MAX_RUN_MS } from "./cli-world.ts"
import { startFakeModel } from "./fake-model.ts"
import { OWN_TOOLS } from "./own-tools.ts"
import { findPinned } from "./pinned.ts"

interface Host {
  readonly name: keyof typeof OWN_TOOLS
  readonly args: readonly string[]
  variables(url: string, home: string): Readonly<Record<string, string>>
  /** The user's own settings, by their place in the home. */
  settings(url: string, repository: string): Readonly<Record<string, string>>
  readonly events: readonly string[]
  /** Files it writes into a repository by itself. */
  readonly leaves: readonly string[]
  /** Whether it asks nobody before it starts the server of a repository. */
  readonly startsServer: boolean
}

const CODEX: Host = {
  name: "codex",
  args: ["exec", "--json", "-s", "danger-full-access", "--dangerously-bypass-hook-trust", "[[go]] go"],
  variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
  settings: (url, repository) => ({
    ".codex/config.toml": [
      ...['model = "gpt-5.5"', 'model_provider = "fake"', "[features]", "plugins = false"],
      ...["[analytics]", "enabled = false", `[projects.${JSON.stringify(repository)}]`, 'trust_level = "trusted"'],
      ...["[model_providers.fake]", 'name = "fake"', `base_url = "${url}/v1"`, 'wire_api = "responses"'],
      ...['env_key = "OPENAI_API_KEY"', "request_max_retries = 1", ""],
    ].join("\n"),
  }),
  events: ["session-start", "prompt", "pre-tool-use", "post-tool-use", "stop"],
  startsServer: true,
  leaves: [],
}

const GEMINI: Host = {
  name: "gemini",
  args: ["-p", "[[go]] go", "-o", "stream-json", "-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
  variables: (url) => ({
    ...{ GEMINI_API_KEY: FAKE_KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" },
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  settings: () => ({
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, maxAttempts: 2 },
    }),
  }),
  events: ["session-start", "prompt", "pre-tool-use", "post-tool-use", "stop", "session-end"],
  startsServer: true,
  leaves: [],
}

const OPENCODE: Host = {
  name: "opencode",
  args: ["run", "--format", "json", "--auto", "-m", "fake/model", "[[go]] go"],
  variables: (_, home) => ({
    ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
    ...{ OPENCODE_DISABLE_DEFAULT_PLUGINS: "1", OPENCODE_CONFIG: join(home, "opencode.json") },
  }),
  settings: (url) => ({
    // Where there are plugins it looks for a package at every start; there is none to be had here.
    ".npmrc": "registry=http://127.0.0.1:1/\nfetch-retries=0\n",
    "opencode.json": JSON.stringify({
      ...{ autoupdate: false, share: "disabled", permission: { "*": "allow" } },
      provider: {
        fake: {
          npm: "@ai-sdk/openai-compatible",
          name: "fake",
          options: { baseURL: `${url}/v1`, apiKey: FAKE_KEY },
          models: { model: { name: "model", tool_call: true } },
        },
      },
    }),
  }),
  events: ["prompt", "pre-tool-use", "post-tool-use", "stop"],
  startsServer: true,
  // With nothing but the name of its schema.
  leaves: ["?? opencode.json"],
}

const CLAUDE: Host = {
  name: "claude",
  args: [
    "-p",
    "[[go]] go",
    "--model",
    "sonnet",
    "--permission-mode",
    "acceptEdits",
    "--allowedTools",
    "Bash(teamwork:*)",
  ],
  variables: (url) => ({
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: FAKE_KEY, CLAUDE_CODE_MAX_RETRIES: "1", DISABLE_TELEMETRY: "1" },
    ...{ DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  }),
  settings: () => ({}),
  events: ["session-start", "prompt", "pre-tool-use", "post-tool-use", "stop", "session-end"],
  startsServer: false,
  leaves: [],
}

/** What each reads as a refusal. */
const DENIAL = {
  claude: {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: "not yours",
    },
  },
  gemini: { decision: "deny", reason: "not yours" },
}

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

it.each([CODEX, GEMINI, OPENCODE, CLAUDE])("$name is set up", async (host) => {
  using scratch = makeScratch(host.name)
  const [home, repository, programs] = [
    join(scratch.path, "home"),
    join(scratch.path, "shop"),
    join(scratch.path, "programs"),
  ]
  const log = join(scratch.path, "calls.log")
  const tools = OWN_TOOLS[host.name]
  await using model = startFakeModel({
    go: [
      { tool: tools.run("teamwork join") },
      { tool: tools.write(join(repository, "denied.txt"), "x\n") },
      { tool: tools.write(join(repository, "made.txt"), "x\n") },
      { text: "over" },
    ],
  })
  put(home, host.settings(model.url, repository))
  put(repository, { "README.md": "# shop\n" })
  const denial = JSON.stringify(host.name === "gemini" ? DENIAL.gemini : DENIAL.claude)
  put(programs, {
    teamwork: [
      "#!/bin/sh",
      `echo "$* $TEAMWORK_TERMINAL_ID" >>${quoteArgument(log)}`,
      'test "$1" = hook || exit 0',
      `case "$2 $(cat)" in pre-tool-use*denied.txt*) echo ${quoteArgument(denial)} ;; esac`,
      "",
    ].join("\n"),
  })
  chmodSync(join(programs, "teamwork"), 0o755)
  Bun.spawnSync(["git", "init", "--quiet"], { cwd: repository, env: sandboxEnv() })
  const before = readFileSync(join(repository, "README.md"), "utf8")
  const init = (...args: string[]) => runCli(["init", "--for", host.name, "--yes", ...args], { home, cwd: repository })
  expect(await init()).toMatchObject({ exitCode: 0 })

  const env = sandboxEnv({
    ...{ HOME: home, TMPDIR: scratch.path, XDG_CONFIG_HOME: undefined, XDG_DATA_HOME: undefined },
    ...{ XDG_STATE_HOME: undefined, XDG_CACHE_HOME: undefined, PATH: [programs, process.env.PATH].join(delimiter) },
    ...host.variables(model.url, home),
  })
  const command = [commandOf(findPinned(host.name)), ...host.args]
  const child = Bun.spawn(command, { cwd: repository, env, stdio: ["ignore", "pipe", "pipe"], timeout: MAX_RUN_MS })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const calls = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [`no calls\n${out}\n${err}`]
  const called = calls.map((call) => call.trimEnd())
  for (const event of host.events) expect(called).toContain(`hook ${event} --host ${host.name}`)
  if (host.startsServer) expect(called).toContain("mcp")
  expect(existsSync(join(repository, "made.txt"))).toBe(true)
  expect(existsSync(join(repository, "denied.txt"))).toBe(false)
  // The others tell the session by variables of their own.
  if (host.name === "opencode") expect(called.find((call) => call.startsWith("join"))).toMatch(/^join ses_/)

  expect(await init("--remove")).toMatchObject({ exitCode: 0 })
  const { stdout } = Bun.spawnSync(["git", "status", "--porcelain", "-uall"], { cwd: repository, env: sandboxEnv() })
  const left = stdout.toString().trim().split("\n").sort()
  if (host.name === "opencode")
    expect(Object.keys(JSON.parse(readFileSync(join(repository, "opencode.json"), "utf8")))).toEqual(["$schema"])
  expect(left.filter((line) => !host.leaves.some((path) => line.startsWith(path)))).toEqual([
    "?? README.md",
    "?? made.txt",
  ])
  expect(readFileSync(join(repository, "README.md"), "utf8")).toBe(before)
})
