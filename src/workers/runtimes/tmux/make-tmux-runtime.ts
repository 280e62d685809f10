import { constants } from "node:os"
import { AppError } from "../../../kernel/errors.ts"
import { identityOf, isRunning } from "../../../lib/process/process-identity.ts"
import { workerMark } from "../../../lib/process/worker-mark.ts"
import { sleep } from "../../../lib/sleep.ts"
import { takeTurns } from "../../../lib/turns.ts"
import { beginLog } from "../begin-log.ts"
import { checkLaunch } from "../check-launch.ts"
import { endWorker } from "../end-worker.ts"
import { findRemains } from "../find-remains.ts"
import type { Runtime, WorkerExit, WorkerProcess } from "../port.ts"
import type { RuntimeSetup } from "../runtime-setup.ts"
import { makeListeners, watchExits } from "../watch-exits.ts"
import { makeTmuxServer, type Pane, type TmuxServer } from "./server.ts"
import { startPane } from "./start-pane.ts"

/** Where options of a pane came, which say whose it is. */
const MIN_TMUX = [3, 1] as const

/**
 * Workers in panes of one tmux session per project. A pane stays when its worker ends other than well, until the worker
 * is started again in it or stopped, or nobody looks after it any more.
 */
export function makeTmuxRuntime({ owner, clock, env }: RuntimeSetup): Runtime {
  const [home, project] = owner
  const server = makeTmuxServer(home, env)
  const session = sessionOf(project)
  const listeners = makeListeners()
  const inTurn = takeTurns()
  const markOf = (worker: string) => workerMark(...owner, worker)
  const endings = new Map<string, Promise<void>>()
  const watch = watchExits((worker, process) => {
    const told = seeExit(server, { worker, process, mark: markOf(worker) }).then(listeners.tell)
    endings.set(worker, told)
  })
  const unavailable = () => whyNot(server)
  const reap = (worker: string, process: WorkerProcess | null, graceMs: number) =>
    endWorker({ worker, process, mark: `${markOf(worker)}=1`, graceMs, env })
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
      await reap(worker, null, 0)
      beginLog(launch.logFile, { worker, clock })
      const token = `${mark}-${clock.now()}-${process.pid}-${starts++}`
      const request = { launch, session, mark, token, owner: [...owner.slice(1), worker].join("/") }
      const pane = await inTurn(() => startPane(server, request))
      const { pid, start } = identityOf(pane.pid)
      const started = { pid, processStart: start, pane: pane.id }
      watch.add(worker, started)
      return started
    },
    adopt: (worker, process) => watch.add(worker, process),
    isRunning: ({ pid, processStart }) => isRunning({ pid, start: processStart }),
    async stop(worker, process, { graceMs }) {
      await reap(worker, process, graceMs)
      watch.look()
      await endings.get(worker)
      await removePanes(server, (pane) => pane.mark === markOf(worker))
    },
    async remains(workers) {
      const panes = Map.groupBy(await server.panes(), (pane) => pane.mark)
      const left = findRemains(workers, { markOf, env })
      for (const worker of workers) {
        for (const { id } of panes.get(markOf(worker)) ?? []) {
          left.set(worker, [...(left.get(worker) ?? []), `pane ${id} of ${session}`])
        }
      }
      return left
    },
    onExit: listeners.add,
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
      watch[Symbol.dispose]()
      // Nobody starts those again.
      const prefix = `${owner.slice(1).join("/")}/`
      await removePanes(server, (pane) => pane.isDead && pane.owner.startsWith(prefix))
    },
  }
}

/** tmux itself would change what it takes for a place in a session. */
function sessionOf(project: string): string {
  return `teamwork-${project.replaceAll(/[^\w-]/g, "_")}`
}

async function whyNot(server: TmuxServer): Promise<string | null> {
  const { isDone, output } = await server.run([["-V"]])
  const [, major = "", minor = ""] = /(\d+)\.(\d+)/.exec(output) ?? []
  const wanted = MIN_TMUX.join(".")
  if (!isDone) return `tmux was not found; install ${wanted} or newer, or use the runtime child`
  // A build without a release number is newer than any.
  const isOld =
    major !== "" && (Number(major) < MIN_TMUX[0] || (Number(major) === MIN_TMUX[0] && Number(minor) < MIN_TMUX[1]))
  return isOld ? `tmux ${major}.${minor} is too old; install ${wanted} or newer, or use the runtime child` : null
}

const LOOK_MS = 20
/** Between the end of a process and tmux taking note of it. */
const MAX_NOTICE_MS = 2000

/** How a worker ended, as its pane tells. One that ended well leaves nothing to look at. */
async function seeExit(
  server: TmuxServer,
  { worker, process: gone, mark }: { worker: string; process: WorkerProcess; mark: string },
): Promise<WorkerExit> {
  for (const deadline = performance.now() + MAX_NOTICE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const pane = (await server.panes()).find((each) => each.mark === mark && each.pid === gone.pid)
    if (pane === undefined) break
    // The end of its output and the end of its process come one after the other, in either order.
    if (!pane.isDead || (pane.code === null && pane.signal === null)) {
      remindOfChildren(pane.serverPid)
      continue
    }
    if (pane.code === 0) await removePanes(server, (each) => each.mark === mark)
    return { worker, code: pane.code, signal: pane.signal === null ? null : signalName(pane.signal) }
  }
  return { worker, code: null, signal: null }
}

/** On a busy machine tmux misses the end of a child now and then, and would look for it at the end of the next one. */
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

/** The last pane takes the session and the server with it; resolves when that has happened. */
async function removePanes(server: TmuxServer, isMeant: (pane: Pane) => boolean): Promise<void> {
  const own = (await server.panes()).filter(isMeant)
  if (own.length === 0) return
  for (const { id } of own) await server.run([["kill-pane", "-t", id]])
  for (const deadline = performance.now() + MAX_NOTICE_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const isGone = !(await server.run([["list-sessions"]])).isDone
    if (isGone || (await server.panes()).length > 0) return
  }
}
