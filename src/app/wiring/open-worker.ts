import { hostname } from "node:os"
import { gitIdentity } from "../../agents/jobs/git-identity.ts"
import { recordRun, runFolder } from "../../agents/jobs/record-run.ts"
import type { AgentEvent } from "../../agents/port.ts"
import { parseLogLine } from "../../agents/run-log.ts"
import { liveLines } from "../../agents/views/live-lines.ts"
import { findSkills } from "../../knowledge/effects/find-skills.ts"
import { resolvePath } from "../../lib/paths.ts"
import { identityOf } from "../../lib/process/process-identity.ts"
import { sleep } from "../../lib/sleep.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import { oneLine } from "../../lib/text/table.ts"
import { examineWork } from "../../quality/effects/examine-work.ts"
import { verifyTask } from "../../quality/verify/verify-task.ts"
import { ensureLauncher } from "../../workers/loop/launcher.ts"
import { endOrphans } from "../../workers/loop/orphans.ts"
import type { WorkerOptions, WorkerPorts } from "../../workers/loop/worker-ports.ts"
import { isAlive } from "../../workers/swarm/liveness.ts"
import type { Session } from "../command.ts"
import { askPorts } from "./ask-ports.ts"
import { findRoles } from "./find-roles.ts"
import { verifierFor } from "./verifier-for.ts"
import { toolsOf } from "./workspace-tools.ts"

export interface WorkerRequest
  extends Pick<WorkerOptions, "project" | "team" | "run" | "role" | "workerId" | "freshStartInterval"> {
  readonly once?: boolean
  readonly loop?: boolean
  readonly keepPolling?: boolean
  readonly pollInterval?: number
  readonly sourceDir?: string
  readonly managed?: boolean
}

export async function workerOptions(session: Session, given: WorkerRequest): Promise<WorkerOptions> {
  const {
    project,
    team,
    run,
    role,
    workerId,
    freshStartInterval,
    once = false,
    keepPolling = false,
    managed = false,
  } = given
  const { home, worker, pollIntervalSeconds, engine, storeAddress, merging } = await session.configured()
  const { self, io } = session.host
  const { merges } = await merging(resolvePath(given.sourceDir ?? ".", io.cwd))
  const { pid, start } = identityOf(process.pid)
  return {
    project,
    team,
    run,
    role,
    workerId,
    freshStartInterval,
    once,
    keepPolling,
    home,
    settings: await worker(),
    isManaged: managed,
    loop: !once || given.loop === true,
    pollIntervalSeconds: given.pollInterval ?? pollIntervalSeconds,
    place: await merges.place(),
    root: (await findRoles(session)).root,
    reach: { store: storeAddress, self, bin: ensureLauncher(home, self) },
    process: {
      runtime: managed ? (await engine()).runtime : "terminal",
      machine: hostname(),
      pid,
      processStart: start,
    },
  }
}

export async function openWorker(
  session: Session,
  { project, team, run, sourceDir }: WorkerRequest,
): Promise<WorkerPorts> {
  const { host } = session
  const { io, env, clock, processes } = host
  const { agents, promptLimits, recordings, home, author, agentDefaults } = await session.configured()
  const name = { project, team, run }
  const folder = resolvePath(sourceDir ?? ".", io.cwd)
  const here = hostname()
  const { root } = await findRoles(session)
  const ready = once(agents)
  const promptLimit = await promptLimits()
  const verifiers = new Map<string, ReturnType<typeof verifierFor>>()
  return {
    ...(await toolsOf(session, { ...name, sourceDir: folder })),
    promptLimit,
    clock,
    sleep,
    agents: ready,
    mask: makeMask(env),
    context: await session.context(),
    ...(io.isTerminal ? { showTitle: (title: string) => io.outParts([`\u001b]2;${oneLine(title)}\u0007`]) } : {}),
    scopes: await host.scopes(folder),
    runAgent: ({ run: id, agent, job, options }) =>
      recordRun({
        agent,
        job,
        options: { ...options, secrets: env },
        onWhole: (event) => showLive(io, agent.name, event),
        folder: runFolder(home, name, id),
        maxBytes: recordings.maxMegabytes * 1_000_000,
      }),
    async verify({ folder: worktree, signal, ...request }) {
      const verifier = await remember(verifiers, worktree, () => verifierFor(session, { folder: worktree }))
      return verifyTask({ ...verifier, runner: { ...verifier.runner, signal } }, request)
    },
    async examine({ folder: worktree, ...request }) {
      const verifier = await remember(verifiers, worktree, () => verifierFor(session, { folder: worktree }))
      const { timeoutSeconds } = agentDefaults
      const limits = { promptLimit, timeoutMs: timeoutSeconds === 0 ? null : timeoutSeconds * 1000 }
      return examineWork({ verifier, ask: () => askPorts(session), ...limits }, request)
    },
    // From the user's repository: an agent may have changed the worker's own.
    gitIdentity: once(() => gitIdentity(processes, { workspace: folder, env, configured: author, worker: "worker" })),
    findSkills: () => findSkills({ repository: root, home: host.userHome }).skills,
    isAlive: (fact) => isAlive(fact, here),
    endOrphans: (fact) => endOrphans(fact, { ...name, home, here, env }),
    say: (line) => io.err(`[${io.wallClock()}] ${oneLine(line)}`),
    drain: io.interrupted,
    stop: io.interruptedAgain,
  }
}

/** For people who watch the worker's pane or log. */
function showLive(io: Session["host"]["io"], agent: string, event: AgentEvent): void {
  const entry = parseLogLine(JSON.stringify(event))
  for (const line of entry === undefined ? [] : liveLines(agent, entry)) io.err(`[${io.wallClock()}] ${line}`)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

function remember<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
