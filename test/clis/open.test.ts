// The interactive sessions of the real programs, as `teamwork open` starts them: in another folder than the runs had.
import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { AgentJob, Session } from "../../src/agents/port.ts"
import { quoteArgument } from "../../src/lib/text/quote-argument.ts"
import { makeJob } from "../support/agents.ts"
import { type Cli, FAKE_KEY, makeWorld, type World } from "./cli-world.ts"
import { CLAUDE, CODEX } from "./programs.ts"

const HAS_TMUX = Bun.which("tmux") !== null
const PATIENCE_MS = 60_000
const SAID = "the quick brown answer"

/** What a person who has used the program before has at home. */
function seedHome({ env }: World, folder: string): void {
  const known = { hasTrustDialogAccepted: true, hasSeenAutoDefaultNotice: true }
  const claude = {
    ...{ hasCompletedOnboarding: true, theme: "dark", customApiKeyResponses: { approved: [FAKE_KEY.slice(-20)] } },
    projects: { [folder]: known },
  }
  writeFileSync(join(env.HOME ?? "", ".claude.json"), JSON.stringify(claude))
}

/** It would first ask whether to use a newer model. */
const MIGRATIONS = { notice: { model_migrations: { [CODEX.model]: "gpt-6-sol" } } }
const CODEX_AT_HOME: Cli = { ...CODEX, settings: (url) => ({ ...CODEX.settings?.(url), ...MIGRATIONS }) }

it.skipIf(!HAS_TMUX).each([CLAUDE, CODEX_AT_HOME])(
  "F049: $program.name opens the session of a run for a person",
  async (cli: Cli) => {
    await using world = makeWorld(cli, { hello: [{ text: SAID }], default: [{ text: "ok" }] })
    const { result } = await world.run({ prompt: "[[hello]]", permission: "full" })
    expect(result).toMatchObject({ reason: "done", answer: expect.stringContaining(SAID) })
    const folder = join(dirname(world.worktree), "by-hand")
    mkdirSync(folder)
    world.git("clone", "--quiet", world.worktree, folder)
    seedHome(world, folder)
    const job: AgentJob = makeJob(folder, {
      ...{ model: cli.model, env: world.env, permission: "edit", resume: result.session as Session },
      stateFolder: join(dirname(world.worktree), "state"),
    })
    const opened = world.agent.open?.(job)
    if (opened == null) throw new Error("nothing to open")
    const screen = await showUntil(opened, { folder, env: world.env }, (text) => text.includes(SAID))
    expect(screen).toContain(SAID)
  },
)

async function showUntil(
  { command, env }: { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> },
  at: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
  fits: (screen: string) => boolean,
): Promise<string> {
  const tmux = (...args: string[]) =>
    Bun.spawnSync(["tmux", "-u", "-L", `open-${process.pid}`, "-f", "/dev/null", ...args], {
      cwd: at.folder,
      env: { ...at.env, ...env, TERM: "xterm-256color" },
    })
  const line = `${command.map(quoteArgument).join(" ")}; echo "ended with $?"; exec cat`
  tmux("new-session", "-d", "-x", "160", "-y", "50", line)
  try {
    let seen = ""
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await Bun.sleep(100)) {
      seen = tmux("capture-pane", "-p", "-S", "-").stdout.toString()
      if (fits(seen)) return seen
      // It says that the settings of the folder stay disabled, and a person confirms.
      if (seen.includes("Open restricted")) tmux("send-keys", "Enter")
      if (seen.includes("ended with")) break
    }
    throw new Error(`waited in vain; the screen:\n${seen.replaceAll(/\n+/g, "\n")}`)
  } finally {
    tmux("kill-server")
  }
}
