import { FAULT_LIMITS } from "../../src/agents/agent-fault.ts"
// A worker on a real repository, with a real store, real gates and real processes: `await using world = await setUpWorker()`.

import { recordRun, runFolder } from "../../src/agents/jobs/record-run.ts"
import type { ReadyAgent } from "../../src/agents/jobs/run-job.ts"
import type { Agent } from "../../src/agents/port.ts"
import { script } from "../../src/agents/script/program.ts"
import { getSetting } from "../../src/app/config/settings.ts"
import { openGateRepository } from "../../src/git/gate-repository.ts"
import { makeGit } from "../../src/git/git.ts"
import { makeScopes } from "../../src/git/merges/scopes.ts"
import type { EventType } from "../../src/kernel/events.ts"
import type { Schedule } from "../../src/kernel/team.ts"
import { findSkills } from "../../src/knowledge/effects/find-skills.ts"
import { type Clock, systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { identityOf } from "../../src/lib/process/process-identity.ts"
import { sleep } from "../../src/lib/sleep.ts"
import type { Message } from "../../src/messages/message.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import { examineWork } from "../../src/quality/effects/examine-work.ts"
import { verifyTask } from "../../src/quality/verify/verify-task.ts"
import type { Context } from "../../src/store/operation.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import type { Task } from "../../src/tasks/task.ts"
import { endOrphans } from "../../src/workers/loop/orphans.ts"
import { runWorker } from "../../src/workers/loop/run-worker.ts"
import type { WorkerEnd, WorkerOptions, WorkerPorts, WorkerSettings } from "../../src/workers/loop/worker-ports.ts"
import { isAlive } from "../../src/workers/swarm/liveness.ts"
import { fixtureAgent } from "./agents.ts"
import { type PlainEvent, plainEvents } from "./plain-events.ts"
import { sandboxEnv } from "./sandbox.ts"
import { allEvents, context, type Given, getTask, makeTeam, run, STORES } from "./stores.ts"
import { setUpWorkspaces, WORKSPACE_TEAM, type WorkspaceSetup } from "./workspaces.ts"

export interface WorkerSetup extends AsyncDisposable {
  readonly git: WorkspaceSetup
  readonly context: Context
  readonly key: number
  readonly home: string
  /** What the workers said. */
  readonly said: string[]
  /** A task that passes its gate with any change, unless it says otherwise. */
  create(id: string, more?: Given<typeof createTask.input>): Promise<void>
  task(id: string): Promise<Task>
  events(type?: EventType): Promise<PlainEvent[]>
  inbox(name: string): Promise<Message[]>
  ports(more?: Partial<WorkerPorts>): WorkerPorts
  /** Runs a worker until it ends; by default one task. */
  work(options?: WorkOptions, ports?: Partial<WorkerPorts>): Promise<WorkerEnd>
}

export interface WorkOptions extends Partial<Omit<WorkerOptions, "settings" | "workerId">> {
  readonly workerId?: string
  readonly settings?: Partial<WorkerSettings>
}

export const HERE = "this-machine"
const NOTHING = { tokens: 0, dollars: 0 }

export const WORKER_SETTINGS: WorkerSettings = {
  leaseSeconds: getSetting("claim.workerLeaseSeconds").default,
  renewSeconds: getSetting("claim.renewSeconds").default,
  repairTurns: getSetting("engine.repairTurns").default,
  agentTimeoutSeconds: getSetting("team.agentTimeoutSeconds").default,
  shutdownTimeoutMs: getSetting("team.shutdownTimeoutMs").default,
  maxConsecutiveErrors: getSetting("team.maxConsecutiveErrors").default,
  retry: {
    maxRuns: getSetting("team.maxRunsPerTask").default,
    maxRestarts: getSetting("team.maxRestarts").default,
    maxTimeoutRestarts: getSetting("team.maxTimeoutRestarts").default,
  },
  budget: { task: NOTHING, worker: NOTHING, team: NOTHING },
  faults: FAULT_LIMITS,
  scarcePercent: getSetting("team.scarceQuotaPercent").default,
  permission: "full",
  mcp: true,
  defaults: { agentType: "executor", tier: "sonnet" },
}

export async function setUpWorker(
  given: { readonly clock?: Clock; readonly schedule?: Schedule; readonly agents?: readonly Agent[] } = {},
): Promise<WorkerSetup> {
  const { clock = systemClock, schedule = "waves" } = given
  const git = await setUpWorkspaces()
  const database = await (STORES.sqlite as NonNullable<typeof STORES.sqlite>)({ clock })
  const store = await database.connect()
  const ctx = context(store)
  const { key } = await makeTeam(store, { ...WORKSPACE_TEAM, schedule })
  const { home, repository } = git
  const said: string[] = []
  const agents = [fixtureAgent(script), ...(given.agents ?? [])].map((agent) => asReady(agent, home))
  const scopes = makeScopes(makeGit(repository.path, { capture, env: sandboxEnv(), sleep }), home)
  const verifierIn = async (folder: string, signal: AbortSignal) => {
    const kind = { isEnabled: true, lines: [] }
    const gates = await openGateRepository(repository.at(folder).git, { home, prepare: async () => undefined })
    if (gates === undefined) throw new Error(`${folder} is no repository`)
    return {
      ...{ context: ctx, repository: gates, roles: BUILT_IN_ROLES },
      place: { machine: HERE, folder: repository.path, repository: null },
      settings: {
        ...{ kinds: { build: kind, lint: kind, test: kind }, ...ctx.settings },
        ignoredFiles: getSetting("gates.ignoredFiles").default,
      },
      runner: {
        ...{ processes: systemProcesses, clock: systemClock, sleep, home, mask: (text: string) => text },
        ...{ env: sandboxEnv(), timeoutMs: 20_000, preparation: "", maxBytes: 1_000_000, again: false, signal },
      },
    }
  }
  const askPorts = (ready: readonly ReadyAgent[]) => ({
    ...{ ready, home, clock, ids: systemIds, maxBytes: 1_000_000, callerEnv: sandboxEnv() },
    ...{ roles: BUILT_IN_ROLES, defaults: WORKER_SETTINGS.defaults },
    health: { now: new Date().toISOString(), until: {}, faults: {}, quotas: {} },
    ...{ hasStore: async () => true, openContext: async () => ctx },
  })
  const ports: WorkerSetup["ports"] = (more = {}) => ({
    ...{ context: ctx, clock, sleep, scopes, workspaces: git.workspaces, pins: git.pins },
    agents: async () => agents,
    runAgent: ({ run, ...request }) =>
      recordRun({ ...request, folder: runFolder(home, WORKSPACE_TEAM, run), maxBytes: 1_000_000 }),
    verify: async ({ folder, signal, ...request }) => verifyTask(await verifierIn(folder, signal), request),
    examine: async ({ folder, ...request }) =>
      examineWork(
        {
          ...{ verifier: await verifierIn(folder, request.signal), promptLimit: () => 40_000, timeoutMs: 20_000 },
          ...(given.agents === undefined ? {} : { ask: async () => askPorts(agents) }),
        },
        request,
      ),
    gitIdentity: async () => ({}),
    promptLimit: () => 40_000,
    mask: (text) => text,
    isAlive: (fact) => isAlive(fact, HERE),
    findSkills: () => findSkills({ repository: repository.path, home }).skills,
    endOrphans: (fact) => endOrphans(fact, { ...WORKSPACE_TEAM, home, here: HERE, env: sandboxEnv() }),
    say: (line) => said.push(line),
    drain: new AbortController().signal,
    stop: new AbortController().signal,
    ...more,
  })
  return {
    ...{ git, context: ctx, key, home, said, ports },
    create: async (id, more = {}) =>
      void (await run(ctx, createTask, { ...WORKSPACE_TEAM, id, title: `Task ${id}`, check: ["true"], ...more })),
    task: (id) => getTask(store, key, id),
    events: async (type) =>
      plainEvents(await allEvents(store, key)).filter((event) => type === undefined || event.type === type),
    inbox: (name) => store.read((tx) => tx.messages.list(key, name, {})),
    work(options = {}, more = {}) {
      const { pid, start } = identityOf(process.pid)
      const plain = { once: true, loop: false, keepPolling: false, isManaged: false, pollIntervalSeconds: 600 }
      return runWorker(ports(more), {
        ...{ ...WORKSPACE_TEAM, run: 1, ...plain, home, root: repository.path },
        place: { machine: HERE, folder: repository.path, repository: null },
        process: { runtime: "terminal", machine: HERE, pid, processStart: start },
        ...(options as Partial<WorkerOptions>),
        settings: { ...WORKER_SETTINGS, ...options.settings },
      })
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      git[Symbol.dispose]()
    },
  }
}

function asReady(agent: Agent, home: string): ReadyAgent {
  const model = { model: null, price: null }
  // Nobody is asked with these; they only say that somebody is logged in.
  const env = { ...sandboxEnv({ HOME: home }), ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none" }
  return { agent, env, isEnabled: true, models: { haiku: model, sonnet: model, opus: model } }
}
