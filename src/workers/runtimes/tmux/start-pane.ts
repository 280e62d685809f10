import { AppError } from "../../../kernel/errors.ts"
import { quoteArgument } from "../../../lib/text/quote-argument.ts"
import type { WorkerLaunch } from "../port.ts"
import { escapeFormat, type Pane, type TmuxServer } from "./server.ts"

export interface PaneRequest {
  readonly launch: WorkerLaunch
  readonly session: string
  readonly mark: string
  /** For people, and to find stray panes. */
  readonly owner: string
  readonly token: string
}

const PLACE = "#{pane_id} #{pane_pid}"
const MAX_TRIES = 5
/** Room for many panes while no terminal is attached. */
const SIZE = ["-x", "250", "-y", "120"]
const SETTINGS = [
  ["start-server"],
  ["set-option", "-g", "remain-on-exit", "on"],
  ["set-option", "-g", "pane-border-status", "top"],
  ["set-option", "-g", "pane-border-format", " #{pane_title} "],
  ["set-option", "-g", "automatic-rename", "off"],
  // Ctrl+C only detaches; this server is ours alone.
  ["bind-key", "-n", "C-c", "detach-client"],
  ["set-option", "-g", "status-right-length", "80"],
  ["set-option", "-g", "status-right", "Ctrl+C leaves, the workers go on. Stop one: teamwork swarm stop --worker ID"],
]
/**
 * Runs first in a new pane. It waits until the pane is set up, or the log would miss the worker's first lines.
 * Environment and command come through a buffer: every user of the machine could read a command line, and a file
 * would be left behind.
 */
const LAUNCHER =
  'tmux wait-for "$0"; script=$(tmux show-buffer -b "$0"); tmux delete-buffer -b "$0"; eval "$script"; exit 127'
/** The pane sets them, or they are read-only in a shell. */
const NOT_HANDED_DOWN =
  /^(?:TERM|TERM_PROGRAM.*|TMUX|TMUX_PANE|COLUMNS|LINES|PWD|OLDPWD|SHLVL|_|E?UID|PPID|(?:SHELL|BASH)OPTS|BASH_.*)$/

/** In its old pane, in a new one of the session, or in a new session. */
export async function startPane(server: TmuxServer, request: PaneRequest): Promise<{ id: string; pid: number }> {
  const { launch, session, mark, owner, token } = request
  const { id, pid } = await makePane(server, request)
  const { isDone, output } = await server.run([
    ["set-option", "-p", "-t", id, "@teamwork_mark", mark],
    ["set-option", "-p", "-t", id, "@teamwork_owner", owner],
    ["pipe-pane", "-t", id, escapeFormat(`cat >> ${quoteArgument(launch.logFile)}`)],
    ["select-pane", "-t", id, "-T", launch.title.replaceAll("#", "##")],
    ["select-layout", "-t", id, "tiled"],
    ["wait-for", "-S", token],
  ])
  if (isDone) return { id, pid }
  await server.run([["kill-pane", "-t", id]])
  throw failed(launch.worker, `pane ${id} of ${session}: ${output}`)
}

async function makePane(server: TmuxServer, request: PaneRequest): Promise<{ id: string; pid: number }> {
  const { launch, session, mark, token } = request
  let isFull = false
  let problem = ""
  // Another process may make the session, or end its last pane, between our look and our step.
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const panes = await server.panes()
    const steps = chooseSteps(panes, { session, mark, token, isFull })
    const { isDone, output } = await server.run(
      [...SETTINGS, ["load-buffer", "-b", token, "-"], ...steps],
      scriptOf(launch, mark),
    )
    const [, id, pid] = /^(%\d+) (\d+)$/m.exec(output) ?? []
    if (isDone && id !== undefined) return { id, pid: Number(pid) }
    problem = output
    if (/no space/.test(problem)) isFull = true
  }
  throw failed(launch.worker, problem)
}

function chooseSteps(
  panes: readonly Pane[],
  { session, mark, token, isFull }: Pick<PaneRequest, "session" | "mark" | "token"> & { isFull: boolean },
): string[][] {
  const command = ["--", "sh", "-c", LAUNCHER, token]
  const print = ["-d", "-P", "-F", PLACE]
  const own = panes.find((pane) => pane.mark === mark)
  if (own !== undefined) {
    return [
      ["respawn-pane", "-k", "-t", own.id, ...command],
      ["display-message", "-p", "-t", own.id, PLACE],
    ]
  }
  if (!panes.some((pane) => pane.session === session)) {
    return [["new-session", ...print, "-s", session, "-n", "workers", ...SIZE, ...command]]
  }
  const target = `=${session}:`
  if (isFull) return [["new-window", ...print, "-t", target, "-n", "workers", ...command]]
  return [
    ["select-layout", "-t", target, "tiled"],
    ["split-window", ...print, "-t", target, ...command],
  ]
}

function scriptOf({ command, env, cwd }: WorkerLaunch, mark: string): string {
  const variables = Object.entries({ ...env, [mark]: "1" }).filter(
    ([name, value]) => value !== undefined && /^[A-Za-z_]\w*$/.test(name) && !NOT_HANDED_DOWN.test(name),
  )
  const exports = variables.map(([name, value]) => `export ${name}=${quoteArgument(value ?? "")}`)
  // Keys sent to the pane in another way must not stop the worker either.
  return [
    ...exports,
    "stty -isig 2>/dev/null",
    `cd -- ${quoteArgument(cwd)}`,
    `exec ${command.map(quoteArgument).join(" ")}`,
  ].join("\n")
}

function failed(worker: string, why: string): AppError {
  return new AppError("runtime.failed", `${worker} cannot be started in tmux: ${why}`, { worker })
}
