// Runs before any test (see bunfig.toml): moves home, temp folder and every setting into a fresh folder, the test base,
// and forgets every variable that could lead a test, or a process it starts, to something real.
import { afterAll } from "bun:test"
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { runAtEnd, TEST_BASE_MARKER, TEST_BASE_PREFIX } from "./sandbox.ts"

/** Leading to accounts, agents, repositories, databases, terminals or running sessions of the person testing. */
const FOREIGN_PREFIXES = [
  "TEAMWORK_",
  "ANTHROPIC_",
  "OPENAI_",
  "GEMINI_",
  "GOOGLE_",
  "OPENROUTER_",
  "AZURE_",
  "AWS_",
  "CLAUDE",
  "CODEX",
  "OPENCODE",
  "GIT_",
  "GITHUB_",
  "GH_",
  "GITLAB_",
  "SSH_",
  "GPG_",
  "PG",
  "POSTGRES",
  "DATABASE_",
  "XDG_",
  "TMUX",
]

// With `bun test --parallel` one process loads this file again for each test file, and finds its own variables.
const realHome = process.env.TEAMWORK_TEST_REAL_HOME ?? process.env.HOME ?? homedir()
const realTmp = process.env.TEAMWORK_TEST_REAL_TMP ?? tmpdir()

const base = realpathSync(mkdtempSync(join(realTmp, TEST_BASE_PREFIX)))
// A server started by root runs as another user, who must be able to pass through; but nobody may list it.
chmodSync(base, 0o711)
writeFileSync(join(base, TEST_BASE_MARKER), "")

for (const name of Object.keys(process.env)) {
  if (FOREIGN_PREFIXES.some((prefix) => name.startsWith(prefix))) delete process.env[name]
}

const gitConfig = join(base, "gitconfig")
writeFileSync(gitConfig, "[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n")

Object.assign(process.env, {
  HOME: folder("home"),
  TMPDIR: folder("tmp"),
  XDG_CONFIG_HOME: folder("home/.config"),
  XDG_DATA_HOME: folder("home/.local/share"),
  XDG_STATE_HOME: folder("home/.local/state"),
  XDG_CACHE_HOME: folder("home/.cache"),
  XDG_RUNTIME_DIR: folder("run"),
  TMUX_TMPDIR: folder("tmux"),
  TEAMWORK_HOME: folder("teamwork"),
  TEAMWORK_TEST_BASE_DIR: base,
  TEAMWORK_TEST_REAL_HOME: realHome,
  TEAMWORK_TEST_REAL_TMP: realTmp,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: gitConfig,
  GIT_TERMINAL_PROMPT: "0",
  // As `bun test` has it where nobody says otherwise.
  TZ: "UTC",
})

inheritOurEnvironment()
const undertaker = removeBaseOnceWeAreGone()
afterAll(async () => {
  await runAtEnd()
  rmSync(base, { recursive: true, force: true })
  undertaker.stdin.end()
})

function folder(path: string): string {
  const full = join(base, path)
  mkdirSync(full, { recursive: true, mode: 0o755 })
  return full
}

/** Without `env`, `Bun.spawn` hands down the variables this process was started with, real home included. */
function inheritOurEnvironment(): void {
  Object.assign(Bun, { spawn: withOurEnvironment(Bun.spawn), spawnSync: withOurEnvironment(Bun.spawnSync) })
}

function withOurEnvironment(original: unknown): unknown {
  const spawn = original as (...args: unknown[]) => unknown
  return (first: unknown, second?: object) =>
    Array.isArray(first)
      ? spawn(first, { env: process.env, ...second })
      : spawn({ env: process.env, ...(first as object) })
}

/**
 * `afterAll` does not run when the process is interrupted or crashes. A child that waits for the end of our pipe
 * notices any kind of death; it tries for a while, since a database may be shutting down in there.
 */
function removeBaseOnceWeAreGone() {
  const script = `cat; i=0; while [ -e "$1" ] && [ $i -lt 100 ]; do rm -rf -- "$1" || sleep 0.1; i=$((i+1)); done`
  const child = Bun.spawn(["sh", "-c", script, "sh", base], {
    cwd: "/",
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  child.unref()
  return child
}
