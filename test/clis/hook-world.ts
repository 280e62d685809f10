// A session of a real agent program whose hooks are ours, as a person would have set them up: in a home of its own, with
// a scripted model, and `teamwork` on the path.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { type CliResult, runCli } from "../support/run-cli.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"
import { commandOf, FAKE_KEY, IS_ROOT, MAX_RUN_MS } from "./cli-world.ts"
import { type FakeModel, type Scripts, startFakeModel } from "./fake-model.ts"
import { findPinned } from "./pinned.ts"

export type HookHost = "claude" | "codex" | "gemini" | "opencode"

export interface HookWorld extends AsyncDisposable {
  readonly model: FakeModel
  /** The steps of scripts that the model was asked for, in order. */
  steps(): readonly string[]
  readonly repository: string
  /** Runs the program with one prompt until it ends; what it printed. */
  run(prompt: string, session?: string): Promise<string>
  /** For a program that stays. */
  start(args: readonly string[]): Bun.Subprocess<"ignore", "pipe", "ignore">
  /** A command of ours that must succeed, from the repository; what it answered. */
  teamwork<T = Record<string, unknown>>(...args: string[]): Promise<T>
  /** Hooks that failed. */
  failures(): Promise<string>
}

const ROOT = join(import.meta.dir, "../..")

export async function makeHookWorld(host: HookHost, scripts: Scripts): Promise<HookWorld> {
  const scratch = makeScratch(`hooks-${host}`)
  const model = startFakeModel(scripts)
  const folder = (name: string) => join(scratch.path, name)
  const [home, repository, bin] = [folder("home"), folder("shop"), folder("bin")]
  for (const path of [home, repository, bin, folder("tmp"), folder("state")]) mkdirSync(path)
  if (!Bun.spawnSync(["git", "init", "--quiet", "--initial-branch=main", repository], { env: sandboxEnv() }).success)
    throw new Error("git init failed")
  const program = join(bin, "teamwork")
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "src/bin/start.ts")}' "$@"\n`)
  chmodSync(program, 0o755)
  const place = { home, repository, bin, url: model.url }
  const setup = HOSTS[host]
  for (const [path, content] of Object.entries(setup.files(place))) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content))
  }
  const env = {
    ...{ PATH: `${bin}:${process.env.PATH}`, LANG: "C.UTF-8", HOME: home, TMPDIR: folder("tmp") },
    TEAMWORK_TEST_BASE_DIR: folder("state"),
    ...setup.variables(place),
  }
  const command = commandOf(findPinned(host))
  const how = { cwd: repository, env, timeout: MAX_RUN_MS }
  return {
    ...{ model, repository },
    start: (args) => Bun.spawn([command, ...args], { ...how, stdio: ["ignore", "pipe", "ignore"] }),
    steps: () => model.asked.map(({ step }) => step).filter((step) => step !== "" && !step.startsWith("default")),
    async run(prompt, session) {
      const child = Bun.spawn([command, ...setup.args(prompt, session)], { ...how, stdio: ["ignore", "pipe", "pipe"] })
      const [printed, said] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      if (child.exitCode !== 0) throw new Error(`${host} ended with ${child.exitCode}: ${printed}\n${said}`)
      return printed
    },
    async teamwork<T>(...args: string[]) {
      const result: CliResult = await runCli(args, { home: folder("state"), cwd: repository })
      if (result.exitCode !== 0) throw new Error(`${args.join(" ")}: ${result.stderr}`)
      return result.json<{ data: T }>().data
    },
    async failures() {
      const log = Bun.file(join(folder("state"), "hooks.log"))
      return (await log.exists()) ? log.text() : ""
    },
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

interface Place {
  readonly home: string
  readonly bin: string
  readonly repository: string
  readonly url: string
}

interface HostSetup {
  args(prompt: string, session: string | undefined): readonly string[]
  variables(place: Place): Readonly<Record<string, string>>
  /** By path. */
  files(place: Place): Readonly<Record<string, unknown>>
}

const CLAUDE_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
  "SubagentStop",
  "SessionEnd",
]
const GEMINI_EVENTS = ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"]

function hooks(host: HookHost, events: readonly string[]): object {
  const command = (event: string) => ({ type: "command", command: `teamwork hook ${event} --host ${host}` })
  return Object.fromEntries(events.map((event) => [event, [{ matcher: "*", hooks: [command(event)] }]]))
}

const HOSTS: Readonly<Record<HookHost, HostSetup>> = {
  claude: {
    args: (prompt, session) => [
      ...["-p", prompt, "--permission-mode", "bypassPermissions"],
      ...(session === undefined ? [] : ["--session-id", session]),
    ],
    variables: ({ url }) => ({
      ...{ ANTHROPIC_API_KEY: FAKE_KEY, ANTHROPIC_BASE_URL: url },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", ...(IS_ROOT ? { IS_SANDBOX: "1" } : {}) },
    }),
    files: ({ home }) => ({ [`${home}/.claude/settings.json`]: { hooks: hooks("claude", CLAUDE_EVENTS) } }),
  },
  codex: {
    args: (prompt) => ["exec", "--dangerously-bypass-hook-trust", "-s", "danger-full-access", prompt],
    variables: () => ({ OPENAI_API_KEY: FAKE_KEY }),
    files: ({ home, bin, url }) => ({
      // Its shell is one of a login, which has a path of its own.
      [`${home}/.profile`]: `export PATH='${bin}':"$PATH"\n`,
      [`${home}/.codex/hooks.json`]: { hooks: hooks("codex", CLAUDE_EVENTS) },
      [`${home}/.codex/config.toml`]: [
        ...['model = "gpt-5.5"', 'model_provider = "fake"', 'approval_policy = "never"'],
        ...["[features]", "plugins = false", "[analytics]", "enabled = false"],
        ...["[model_providers.fake]", 'name = "fake"', `base_url = "${url}/v1"`, 'wire_api = "responses"'],
        ...['env_key = "OPENAI_API_KEY"', "request_max_retries = 1", "stream_max_retries = 1", ""],
      ].join("\n"),
    }),
  },
  gemini: {
    args: (prompt, session) => [
      ...["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", prompt],
      ...(session === undefined ? [] : ["--session-id", session]),
    ],
    variables: ({ url }) => ({
      ...{ GEMINI_API_KEY: FAKE_KEY, GOOGLE_GEMINI_BASE_URL: url },
      ...{ GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_NO_RELAUNCH: "true" },
    }),
    files: ({ home }) => ({
      [`${home}/.gemini/settings.json`]: {
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false, maxAttempts: 2 },
        hooks: hooks("gemini", GEMINI_EVENTS),
      },
    }),
  },
  opencode: {
    args: (prompt) => ["run", "--auto", "-m", "fake/model", prompt],
    variables: () => ({
      ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
      ...{ OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1" },
    }),
    files: ({ home, repository, url }) => ({
      // Where there are plugins it installs what they may need, and would try for a minute.
      [`${home}/.npmrc`]: `registry=${url}\nfetch-retries=0\n`,
      [`${repository}/.teamwork/opencode-plugin.js`]: OPENCODE_PLUGIN,
      [`${repository}/opencode.json`]: {
        plugin: ["./.teamwork/opencode-plugin.js"],
        ...{ $schema: "https://opencode.ai/config.json", autoupdate: false, share: "disabled", model: "fake/model" },
        permission: { "*": "allow" },
        provider: {
          fake: {
            ...{ npm: "@ai-sdk/openai-compatible", name: "fake" },
            options: { baseURL: `${url}/v1`, apiKey: FAKE_KEY },
            models: { model: { name: "model", tool_call: true } },
          },
        },
      },
    }),
  },
}

const OPENCODE_PLUGIN = await Bun.file(join(ROOT, "src/doors/setup/opencode-plugin.txt")).text()
