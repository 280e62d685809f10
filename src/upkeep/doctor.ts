import { checkJobs } from "../agents/jobs/job-state.ts"
import type { SetupReport } from "../checkouts/setup-report.ts"
import { describeSetup } from "../checkouts/views/setup-view.ts"
import { checkExports } from "../files/mirror/check-exports.ts"
import { AppError } from "../kernel/errors.ts"
import { describeTeam, type TeamName } from "../kernel/team.ts"
import type { Clock } from "../lib/clock.ts"
import type { Processes } from "../lib/process/process.ts"
import type { Context } from "../store/operation.ts"
import { examineTeam, type Finding } from "../teams/operations/examine-team.ts"
import { listTeams } from "../teams/operations/list-teams.ts"
import { swarmStatus } from "../workers/operations/swarm-status.ts"
import { checkWorkers } from "../workers/swarm/check-workers.ts"
import type { Runtime, RuntimeName } from "../workers/swarm/worker-launch.ts"
import type { WorkspaceTools } from "../workers/swarm/worktrees.ts"
import { checkWorktrees } from "./check-worktrees.ts"

export interface Examination {
  readonly fix: boolean
  readonly clock: Clock
  readonly machine: string
  readonly cwd: string
  readonly env: Record<string, string | undefined>
  /** Only after the configuration is checked. */
  home(): Promise<string>
  openContext(): Promise<Context>
  /** Undefined for a team of another repository. */
  workspaces(team: TeamName): Promise<WorkspaceTools | undefined>
  runtime(team: TeamName, name: RuntimeName): Promise<Runtime>
  /** Panes of no known worker, `project/team/worker`; `fix` closes them. */
  strays(known: ReadonlySet<string>, fix: boolean): Promise<readonly string[]>
  /** Finishes what killed processes left half done in this repository; returns descriptions. */
  mendMoves(): Promise<readonly string[]>
  setup(): Promise<SetupReport | undefined>
  agents(): Promise<Finding[]>
  /** Runs no gate. */
  gates(): Promise<Finding[]>
  /** Throws the first problem; resolves to warnings. */
  checkConfiguration(): Promise<readonly string[]>
}

/** The first version with merge-tree --write-tree. */
const MIN_GIT = [2, 38] as const

/** A failing check never hides the next. */
export async function examine(processes: Processes, examination: Examination): Promise<Finding[]> {
  const findings = [await checkGit(processes, examination), await checkTmux(processes, examination)]
  findings.push(...(await guarded("configuration", () => checkConfiguration(examination))))
  if (findings.some((finding) => finding.status === "problem" && finding.check === "configuration")) return findings
  const setup = await guarded("set-up", async () => {
    const report = await examination.setup()
    const lines = report === undefined ? [] : describeSetup(report)
    return lines.map((line) => ({ check: "set-up", ...line, fixed: false }))
  })
  findings.push(...setup)
  findings.push(...(await guarded("agents", () => examination.agents())))
  const jobs = await guarded("jobs", async () => {
    return checkJobs(await examination.home(), examination.fix, examination)
  })
  findings.push(...jobs)
  if (examination.fix) {
    const mended = await guarded("repository", async () =>
      (await examination.mendMoves()).map((detail) => ({
        check: "repository",
        status: "problem",
        detail,
        fixed: true,
      })),
    )
    findings.push(...mended)
  }
  let context: Context | undefined
  findings.push(
    ...(await guarded("store", async () => {
      context = await examination.openContext()
      return checkStore(context)
    })),
  )
  if (context === undefined) return findings
  const found = context
  const teams = await guarded("projects", async () => {
    const all = await listTeams.run(found, {})
    return (
      await Promise.all(all.map((team) => guarded(describeTeam(team), () => examineTeam(found, team, examination.fix))))
    ).flat()
  })
  const workers = await guarded("workers", () => checkSwarm(found, examination))
  const worktrees = await guarded("worktrees", async () => {
    const all: Finding[] = []
    for (const team of await listTeams.run(found, {})) {
      const tools = await examination.workspaces(team)
      if (tools !== undefined) all.push(...(await checkWorktrees(found, tools, team, examination.fix)))
    }
    return all
  })
  const exports = await guarded("exports", async () => {
    return checkExports(found, { home: await examination.home(), fix: examination.fix })
  })
  const gates = await guarded("gates", () => examination.gates())
  return [...findings, ...teams, ...workers, ...worktrees, ...exports, ...gates]
}

/** Runs before the check of worktrees: a live process may still change one. */
async function checkSwarm(context: Context, examination: Examination): Promise<Finding[]> {
  const { fix, machine } = examination
  const findings: Finding[] = []
  const known = new Set<string>()
  for (const { project, team } of await listTeams.run(context, {})) {
    const name = { project, team }
    const workspaces = await examination.workspaces(name)
    const runtime = (kind: RuntimeName) => examination.runtime(name, kind)
    findings.push(...(await checkWorkers(context, { ...name, fix, machine, runtime, workspaces })))
    for (const { id } of (await swarmStatus.run(context, name)).workers) known.add(`${project}/${team}/${id}`)
  }
  const strays = await examination.strays(known, fix)
  const detail = `belong to no worker: ${strays.join(", ")}`
  return [
    ...findings,
    ...(strays.length === 0 ? [] : [{ check: "tmux", status: "warning", detail, fixed: fix } as const]),
  ]
}

async function guarded(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [{ check, status: "problem", detail: error.message, fixed: false }]
  }
}

async function checkConfiguration(examination: Examination): Promise<Finding[]> {
  const warnings = await examination.checkConfiguration()
  if (warnings.length === 0)
    return [{ check: "configuration", status: "ok", detail: "every file and variable is valid", fixed: false }]
  return warnings.map((detail) => ({ check: "configuration", status: "warning", detail, fixed: false }))
}

async function checkStore({ store }: Context): Promise<Finding[]> {
  const report = await store.inspect()
  const detail = `${report.kind} at ${report.place}, schema ${report.schemaVersion}`
  if (report.problems.length === 0) return [{ check: "store", status: "ok", detail, fixed: false }]
  return report.problems.map((problem) => ({
    check: "store",
    status: "problem",
    detail: `${detail}: ${problem}`,
    fixed: false,
  }))
}

async function checkGit(processes: Processes, { cwd, env }: Examination): Promise<Finding> {
  const result = await processes.run({ command: ["git", "--version"], cwd, env, timeoutMs: 10_000 })
  const [, major = "", minor = ""] = /(\d+)\.(\d+)/.exec(result.tail) ?? []
  const found = `${major}.${minor}`
  const wanted = MIN_GIT.join(".")
  if (result.reason !== "exited" || major === "")
    return { check: "git", status: "problem", detail: `git was not found; install ${wanted} or newer`, fixed: false }
  const isOld = Number(major) < MIN_GIT[0] || (Number(major) === MIN_GIT[0] && Number(minor) < MIN_GIT[1])
  if (isOld)
    return {
      check: "git",
      status: "problem",
      detail: `git ${found} is too old; install ${wanted} or newer`,
      fixed: false,
    }
  return { check: "git", status: "ok", detail: `git ${found}`, fixed: false }
}

async function checkTmux(processes: Processes, { cwd, env }: Examination): Promise<Finding> {
  const result = await processes.run({ command: ["tmux", "-V"], cwd, env, timeoutMs: 10_000 })
  if (result.reason === "exited" && result.exitCode === 0)
    return { check: "tmux", status: "ok", detail: result.tail.trim(), fixed: false }
  return {
    check: "tmux",
    status: "warning",
    detail: "tmux was not found; workers run as child processes without it",
    fixed: false,
  }
}
