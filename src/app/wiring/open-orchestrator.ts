import { connectGates } from "../../delivery/merge-queue/connect-gates.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { identityOf, isRunning } from "../../lib/process/process-identity.ts"
import { makeMemoryReturn } from "../../lib/return-memory.ts"
import { sleep } from "../../lib/sleep.ts"
import type { EngineSettings, RunSettings } from "../../orchestrator/loop/engine-limits.ts"
import type { OrchestratorPorts, Self } from "../../orchestrator/loop/engine-ports.ts"
import { recheckTasks } from "../../quality/verify/recheck-tasks.ts"
import { verifyFinal, verifyWave } from "../../quality/verify/verify-team.ts"
import type { Approval } from "../../requests/approval.ts"
import { judgeApproval } from "../../requests/effects/judge-approval.ts"
import { makeNotify } from "../../requests/effects/notify.ts"
import { workerLaunch } from "../../workers/swarm/worker-launch.ts"
import type { Session } from "../command.ts"
import { askPorts } from "./ask-ports.ts"
import { lockMakerFor } from "./lock-maker-for.ts"
import { reviewHere } from "./review-here.ts"
import { verifierFor } from "./verifier-for.ts"

export interface OrchestratorRequest {
  readonly name: RunName
  readonly folder: string
  readonly run: RunSettings
  readonly settings: EngineSettings
  readonly self: Self
  readonly say: (line: string) => void
}

export async function openOrchestrator(
  session: Session,
  { name, folder, run, settings, self, say }: OrchestratorRequest,
): Promise<OrchestratorPorts> {
  const { host } = session
  const configured = await session.configured()
  const abandoned = new AbortController()
  const signal = AbortSignal.any([abandoned.signal, host.io.interrupted])
  const verifier = await verifierFor(session, { folder, signal })
  const runtime = await configured.runtime(name, run.runtime)
  const problem = await runtime.unavailable()
  if (problem !== null) throw new AppError("runtime.unavailable", problem)
  return {
    context: await session.context(),
    clock: host.clock,
    sleep,
    runtime,
    say,
    merging: await configured.merging(folder),
    workspaces: await configured.workspaces({ sourceDir: folder, team: name }),
    gates: {
      ...connectGates(verifier, name),
      makeLock: await lockMakerFor(session, signal),
      verifyWave: (wave) => verifyWave(verifier, { ...name, wave }),
      verifyFinal: () => verifyFinal(verifier, name),
      recheck: (tasks) => recheckTasks(verifier, name, tasks),
      verifyPart: () => verifyFinal(verifier, { ...name, isPartial: true }),
    },
    abandon: () => abandoned.abort(),
    returnMemory: makeMemoryReturn(host.clock.now),
    review: () => reviewHere(session, { name, folder, signal }),
    ...(settings.pmAgent === "none"
      ? {}
      : {
          judgeApproval: async (approval: Approval) =>
            judgeHere(session, { approval, name, folder, signal, pmAgent: settings.pmAgent }),
        }),
    launch: (worker, role) =>
      workerLaunch(
        {
          ...name,
          home: configured.home,
          self: host.self,
          env: host.env,
          folder,
          runtime: run.runtime,
          store: session.flags.store,
          isManaged: true,
        },
        worker,
        role,
      ),
    self,
    notify: notifyFor(session, settings),
  }
}

interface Judged {
  readonly approval: Approval
  readonly name: TeamName
  readonly folder: string
  readonly signal: AbortSignal
  readonly pmAgent: string
}

async function judgeHere(session: Session, { approval, name, folder, signal, pmAgent }: Judged) {
  const asked = await askPorts(session)
  const ready = asked.ready.filter(({ agent }) => pmAgent === "auto" || agent.name === pmAgent)
  const ask = { ...asked, ready }
  return judgeApproval({ context: await session.context(), ask, folder }, { approval, name, signal })
}

function notifyFor({ host, isJsonAsked }: Session, { notify }: EngineSettings): OrchestratorPorts["notify"] {
  const { io, processes, env } = host
  const ring = io.isTerminal && !isJsonAsked ? () => io.outParts(["\u0007"]) : undefined
  return makeNotify(notify, { processes, cwd: io.cwd, env, ring })
}

/** Identifies this process, so that others on this machine can check whether it still runs. */
export function makeSelf(): Self {
  const machine = machineName()
  const { pid, start } = identityOf(process.pid)
  return {
    machine,
    holder: `${machine}:${pid}:${start}`,
    isGone(holder) {
      const [, where, pidText, startText] = /^(.*):(\d+):(.*)$/s.exec(holder) ?? []
      return where === machine && !isRunning({ pid: Number(pidText), start: startText ?? "" })
    },
  }
}
