import { constants } from "node:os"
import { AppError } from "../../../kernel/errors.ts"
import { identityOf } from "../../../lib/process/process-identity.ts"
import { sleep } from "../../../lib/sleep.ts"
import { takeTurns } from "../../../lib/turns.ts"
import type { Runtime, RuntimeSetup, WorkerExit, WorkerProcess } from "../port.ts"
import { checkLaunch, makeRuntimeBase, watchExits } from "../runtime-base.ts"
import { makeTmuxServer, type Pane, type TmuxServer } from "./server.ts"
import { startPane } from "./start-pane.ts"

/** The first version with options of a pane, which name its owner. */
const MIN_TMUX = [3, 1] as const

/**
 * Workers in panes of one tmux session per project. The pane of a failed worker stays until the worker is restarted
 * in it or stopped, or the runtime is disposed.
 */
export function makeTmuxRuntime(setup: RuntimeSetup): Runtime {
  const { owner, clock, env } = setup
  const [home, project, team] = owner
  const server = makeTmuxServer(home, env)
  const session = sessionOf(project)
  const base = makeRuntimeBase(setup)
  const { markOf } = base
  const inTurn = takeTurns()
  const endings = new Map<string, Promise<void>>()
  const watched = watchExits((worker, process) => {
    endings.set(worker, readExit(server, { worker, process, mark: markOf(worker) }).then(base.reportExit))
  })
  const unavailable = () => whyNot(server)
  let starts = 0
  return {
    name: "tmux",
    unavailable,
    async start(launch) {
      const why = await unavailable()
      if (why !== null) throw new AppError("runtime.unavailable", why)
      checkLaunch(launch)
      const { worker } = launch
      const mark = markOf(worker)
      await base.end(worker, null, 0)
      base.beginLog(launch)
      const token = `${mark}-${clock.now()}-${process.pid}-${starts++}`
      const request = { launch, session, mark, token, owner: `${project}/${team}/${worker}` }
      const pane = await inTurn(() => startPane(server, request))
      const { pid, start } = identityOf(pane.pid)
      const started = { pid, processStart: start, pane: pane.id }
      watched.add(worker, started)
      return started
    },
    watch: (worker, process) => watched.add(worker, process),
    isRunning: base.isRunning,
    async stop(worker, process, { graceMs }) {
      await base.end(worker, process, graceMs)
      watched.look()
      await endings.get(worker)
      await removePanes(server, (pane) => pane.mark === markOf(worker))
    },
    async findLeft(workers) {
      const panes = Map.groupBy(await server.panes(), (pane) => pane.mark)
      const left = base.findLeftProcesses(workers)
      for (const worker of workers)
        for (const { id } of panes.get(markOf(worker)) ?? [])
          left.set(worker, [...(left.get(worker) ?? []), `pane ${id} of ${session}`])
      return left
    },
    onExit: base.onExit,
    async attachCommand(worker) {
      const mark = markOf(worker)
      const pane = (await server.panes()).find((each) => each.mark === mark)
      if (pane === undefined) return null
      const steps = [
        ["attach-session", "-t", `=${session}`],
        [";", "select-window", "-t", pane.id],
        [";", "select-pane", "-t", pane.id],
      ]
      return ["tmux", "-u", "-L", server.socket, ...steps.flat()]
    },
    async [Symbol.asyncDispose]() {
      watched[Symbol.dispose]()
      await removePanes(server, (pane) => pane.isDead && pane.owner.startsWith(`${project}/${team}/`))
    },
  }
}

/** tmux would change dots and colons in a session name. */
function sessionOf(project: string): string {
  return `teamwork-${project.replaceAll(/[^\w-]/g, "_")}`
}

async function whyNot(server: TmuxServer): Promise<string | null> {
  const { isDone, output } = await server.run([["-V"]])
  const [, major = "", minor = ""] = /(\d+)\.(\d+)/.exec(output) ?? []
  const wanted = MIN_TMUX.join(".")
  if (!isDone) return `tmux was not found; install ${wanted} or newer, or use the runtime child`
  // A build without a version number is new.
  const isOld =
    major !== "" && (Number(major) < MIN_TMUX[0] || (Number(major) === MIN_TMUX[0] && Number(minor) < MIN_TMUX[1]))
  return isOld ? `tmux ${major}.${minor} is too old; install ${wanted} or newer, or use the runtime child` : null
}

const LOOK_MS = 20
/** Until tmux notices the end of a process. */
const MAX_NOTICE_MS = 2000

/** Removes the pane of a worker that ended well. */
async function readExit(
  server: TmuxServer,
  { worker, process: gone, mark }: { worker: string; process: WorkerProcess; mark: string },
): Promise<WorkerExit> {
  for (const deadline = performance.now() + MAX_NOTICE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const pane = (await server.panes()).find((each) => each.mark === mark && each.pid === gone.pid)
    if (pane === undefined) break
    // The end of the output and of the process come in either order.
    if (!pane.isDead || (pane.code === null && pane.signal === null)) {
      remindOfChildren(pane.serverPid)
      continue
    }
    if (pane.code === 0) await removePanes(server, (each) => each.mark === mark)
    return { worker, code: pane.code, signal: pane.signal === null ? null : signalName(pane.signal) }
  }
  return { worker, code: null, signal: null }
}

/** On a busy machine tmux sometimes misses the end of a child until the next one ends. */
function remindOfChildren(server: number): void {
  try {
    process.kill(server, "SIGCHLD")
  } catch {
    // It ended meanwhile.
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, each]) => each === number)?.[0] ?? String(number)
}

/** The last pane ends the session and the server; resolves afterwards. */
async function removePanes(server: TmuxServer, isWanted: (pane: Pane) => boolean): Promise<void> {
  const own = (await server.panes()).filter(isWanted)
  if (own.length === 0) return
  for (const { id } of own) await server.run([["kill-pane", "-t", id]])
  for (const deadline = performance.now() + MAX_NOTICE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const isGone = !(await server.run([["list-sessions"]])).isDone
    if (isGone || (await server.panes()).length > 0) return
  }
}
