import { hostname } from "node:os"
import { join } from "node:path"
import { askPorts } from "../../agents/commands/ask-ports.ts"
import { gitIdentity } from "../../agents/jobs/git-identity.ts"
import { recordRun } from "../../agents/jobs/record-run.ts"
import type { Command, Session } from "../../app/command.ts"
import { findSkillsHere } from "../../knowledge/commands/skill-commands.ts"
import { flag, type InputOf, number, optional } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { identityOf } from "../../lib/process/process-identity.ts"
import { sleep } from "../../lib/sleep.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import { oneLine } from "../../lib/text/table.ts"
import { findRoles } from "../../planning/commands/role-commands.ts"
import { verifierFor } from "../../quality/commands/verify-commands.ts"
import { examineWork } from "../../quality/effects/examine-work.ts"
import { verifyTask } from "../../quality/verify/verify-task.ts"
import { ensureLauncher } from "../loop/launcher.ts"
import { endOrphans, isAlive } from "../loop/orphans.ts"
import { runsFolder } from "../loop/run-turn.ts"
import { runWorker } from "../loop/run-worker.ts"
import type { WorkerEnd, WorkerOptions, WorkerPorts } from "../loop/worker-ports.ts"
import { setupWorker } from "../operations/setup-worker.ts"
import { sourceDirField, toolsOf } from "./worktree-commands.ts"

const { sessionId: _, ...setupFields } = setupWorker.input

const input = {
  ...setupFields,
  once: flag("do one task and end; with --loop wait for one"),
  loop: flag("wait for the project and for tasks; it does so anyway, unless --once is given"),
  keepPolling: flag("wait on when the project is complete"),
  pollInterval: optional(number("seconds between two status lines while waiting", { min: 0.01, max: 86_400 })),
  sourceDir: sourceDirField,
  managed: flag("end when the team has ended, as whoever an orchestrator started does"),
}
type Input = InputOf<typeof input>

export const worker: Command = {
  summary: "Work for the team: claim tasks, have agents do them in a worktree, judge and deliver what they did",
  fields: input,
  example: "teamwork worker --role backend",
  async run(session, raw) {
    const given = raw as Input
    const end = await runWorker(await portsOf(session, given), await optionsOf(session, given))
    return { data: end, text: () => describeEnd(end), exitCode: end.reason === "failures" ? 1 : 0 }
  },
}

async function optionsOf(session: Session, given: Input): Promise<WorkerOptions> {
  const {
    project,
    team,
    role,
    workerId,
    freshStartInterval,
    once = false,
    keepPolling = false,
    managed = false,
  } = given
  const { home, worker, pollIntervalSeconds, engine, storeAddress } = await session.configured()
  const { self } = session.host
  const { pid, start } = identityOf(process.pid)
  return {
    ...{ project, team, role, workerId, freshStartInterval, once, keepPolling, home },
    settings: await worker(),
    isManaged: managed,
    loop: !once || given.loop === true,
    pollIntervalSeconds: given.pollInterval ?? pollIntervalSeconds,
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

async function portsOf(session: Session, { project, team, sourceDir }: Input): Promise<WorkerPorts> {
  const { host } = session
  const { io, env, clock, processes } = host
  const { agents, promptLimits, recordings, home, author, agentDefaults } = await session.configured()
  const name = { project, team }
  const folder = resolvePath(sourceDir ?? ".", io.cwd)
  const here = hostname()
  const { root } = await findRoles(session)
  const ready = once(agents)
  const promptLimit = await promptLimits()
  const verifiers = new Map<string, ReturnType<typeof verifierFor>>()
  const identities = new Map<string, ReturnType<typeof gitIdentity>>()
  return {
    ...(await toolsOf(session, { ...name, sourceDir: folder })),
    promptLimit,
    ...{ clock, sleep, agents: ready, mask: makeMask(env), context: await session.context() },
    ...(io.isTerminal ? { showTitle: (title: string) => io.outParts([`\u001b]2;${oneLine(title)}\u0007`]) } : {}),
    scopes: await host.scopes(folder),
    runAgent: ({ run, agent, job, options }) =>
      recordRun({
        ...{ agent, job, options: { ...options, secrets: env } },
        folder: join(runsFolder(home, name), run),
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
    gitIdentity: (workspace) =>
      remember(identities, workspace, () =>
        gitIdentity(processes, { workspace, env, configured: author, worker: "worker" }),
      ),
    findSkills: () => findSkillsHere(host, root).skills,
    isAlive: (fact) => isAlive(fact, here),
    endOrphans: (fact) => endOrphans(fact, { ...name, home, here, env }),
    say: (line) => io.err(`[${io.wallClock()}] ${oneLine(line)}`),
    drain: io.interrupted,
    stop: io.interruptedAgain,
  }
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

const ENDS = {
  complete: "the project is complete",
  over: "the team has ended",
  shutdown: "the lead asked it to end",
  drained: "it was interrupted",
  stopped: "it was stopped",
  once: "it was to do one task",
  none: "there is no task",
  failures: "too many setbacks in a row; see: teamwork events tail --type task.setback",
} as const satisfies Record<WorkerEnd["reason"], string>

function describeEnd({ worker: id, reason, delivered, setBack }: WorkerEnd): string {
  const list = (tasks: readonly string[]) => (tasks.length === 0 ? "none" : tasks.join(", "))
  return `Worker ${id ?? "(not registered)"} ended: ${ENDS[reason]}. Delivered: ${list(delivered)}. Set back: ${list(setBack)}.`
}
