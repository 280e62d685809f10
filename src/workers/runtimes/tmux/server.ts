import { AppError } from "../../../kernel/errors.ts"
import { type Capture, capture } from "../../../lib/process/capture.ts"

type Env = Readonly<Record<string, string | undefined>>

/** The tmux server of one home, apart from the user's own server and settings. */
export interface TmuxServer {
  readonly socket: string
  /** In one call. `isDone` is false when a command failed. */
  run(commands: readonly (readonly string[])[], input?: string): Promise<{ isDone: boolean; output: string }>
  /** Of all sessions; none without a server. */
  panes(): Promise<Pane[]>
}

export interface Pane {
  readonly id: string
  readonly session: string
  readonly serverPid: number
  readonly pid: number
  readonly isDead: boolean
  readonly code: number | null
  readonly signal: number | null
  /** As `startPane` wrote it; empty for a foreign pane. */
  readonly mark: string
  readonly owner: string
}

const TIMEOUT_MS = 10_000
/** A server passes its environment to everything it starts, so it gets only what it needs itself. */
const VARIABLES = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TMPDIR|TMUX_TMPDIR)$/
const FIELDS = [
  "pane_id",
  "session_name",
  "pid",
  "pane_pid",
  "pane_dead",
  "pane_dead_status",
  "pane_dead_signal",
  "@teamwork_mark",
  "@teamwork_owner",
]

export function makeTmuxServer(home: string, env: Env, ask: Capture = capture): TmuxServer {
  const socket = socketOf(home)
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => VARIABLES.test(name)))
  const run: TmuxServer["run"] = async (commands, input) => {
    const words = commands.flatMap((command, at) => [...(at === 0 ? [] : [";"]), ...command.map(escapeWord)])
    const command = ["tmux", "-u", "-L", socket, "-f", "/dev/null", ...words]
    const { reason, exitCode, stdout, stderr } = await ask({
      command,
      cwd: "/",
      env: own,
      input,
      timeoutMs: TIMEOUT_MS,
    })
    if (reason === "timed-out") throw new AppError("runtime.failed", `tmux does not answer; its server is ${socket}`)
    const isDone = reason === "exited" && exitCode === 0
    return { isDone, output: isDone ? new TextDecoder().decode(stdout) : stderr.trim() }
  }
  return {
    socket,
    run,
    async panes() {
      const format = FIELDS.map((field) => `#{${field}}`).join(" : ")
      const { isDone, output } = await run([["list-panes", "-a", "-F", format]])
      return isDone ? output.split("\n").flatMap(parsePane) : []
    },
  }
}

/** Short: part of a path of limited length. */
export function socketOf(home: string): string {
  return `teamwork-${new Bun.CryptoHasher("sha256").update(home).digest("hex").slice(0, 12)}`
}

function parsePane(line: string): Pane[] {
  const [id = "", session = "", serverPid, pid, isDead, code, signal, mark = "", owner = ""] = line.split(" : ")
  if (!id.startsWith("%")) return []
  const numberOf = (text = "") => (text === "" ? null : Number(text))
  return [
    {
      id,
      session,
      serverPid: Number(serverPid),
      pid: Number(pid),
      isDead: isDead === "1",
      code: numberOf(code),
      signal: numberOf(signal),
      mark,
      owner,
    },
  ]
}

/** A semicolon at the end of a word would begin another command. */
function escapeWord(word: string): string {
  return word.endsWith(";") ? `${word.slice(0, -1)}\\;` : word
}

/** Against expansion by tmux in titles and shell lines. */
export function escapeFormat(text: string): string {
  return text.replaceAll("#", "##").replaceAll("%", "%%")
}

/** Panes of no known worker, in words. `fix` ends them. */
export async function findStrayPanes(
  { home, env }: { readonly home: string; readonly env: Env },
  { isKnown, fix }: { readonly isKnown: (owner: string) => boolean; readonly fix: boolean },
): Promise<string[]> {
  const server = makeTmuxServer(home, env)
  const strays = (await server.panes()).filter((pane) => !isKnown(pane.owner))
  for (const { id } of fix ? strays : []) await server.run([["kill-pane", "-t", id]])
  return strays.map(({ id, session, owner }) => `pane ${id} of ${session}${owner === "" ? "" : ` (${owner})`}`)
}
