import { type Command, type CommandRow, dashedName, fromOperation } from "../../app/command.ts"
import type { Task } from "../../tasks/task.ts"

const views = {
  status: () => import("../../reporting/views/status-view.ts"),
  task: () => import("../../tasks/views/task-view.ts"),
  ownership: () => import("../../ownership/views/ownership-view.ts"),
  approvals: () => import("../../requests/views/approvals-view.ts"),
  escalations: () => import("../../requests/views/escalations-view.ts"),
}
const taskLine = async ({ task }: { task: Task }) => (await views.task()).taskLine(task)
const oneLine = async (text: string) => (await import("../../lib/text/table.ts")).oneLine(text)
const oneTask = async (task: Task) => (await views.task()).taskLine(task)

export const COMMANDS: readonly CommandRow[] = [
  {
    name: "setup",
    alias: "setup-teamwork",
    load: async () => (await import("../../teams/commands/setup-command.ts")).setup,
  },
  {
    name: "project create",
    load: async () =>
      fromOperation((await import("../../teams/operations/create-team.ts")).createTeam, {
        example: 'teamwork project create --goal "Search page for items"',
        text: (team) => `Created project ${team.project}/${team.team}${team.run === 1 ? "" : `, run ${team.run}`}`,
      }),
  },
  ...commandsIn(() => import("../../reporting/commands/project-status.ts"), {
    "project get": "projectGet",
    "project status": "projectStatus",
  }),
  ...commandsIn(() => import("../../teams/commands/project-list.ts"), { "project list": "projectList" }),
  ...commandsIn(() => import("../../teams/commands/link-command.ts"), { link: "link" }),
  {
    name: "project update",
    load: async () =>
      fromOperation((await import("../../teams/operations/update-team.ts")).updateTeam, {
        text: async (team) =>
          `Project ${team.project}/${team.team}: ${team.mode}, ${team.schedule}, goal: ${await oneLine(team.goal)}`,
      }),
  },
  ...commandsIn(() => import("../../quality/commands/verify-commands.ts"), { "project verify": "projectVerify" }),
  {
    name: "project clean",
    load: async () =>
      fromOperation((await import("../../teams/operations/clean-team.ts")).cleanTeam, {
        text: (done) =>
          done.purged
            ? `Forgot project ${done.project}/${done.team}`
            : `Closed run ${done.closed} of ${done.project}/${done.team} with ${done.tasks} task${done.tasks === 1 ? "" : "s"}, and began run ${done.run}, which is empty; see the earlier one with: teamwork report --run ${done.closed}`,
      }),
  },
  ...commandsIn(() => import("../../planning/commands/plan-command.ts"), { plan: "planCommand" }),
  {
    name: "task create",
    load: async () =>
      fromOperation((await import("../../tasks/operations/create-task.ts")).createTask, {
        positional: ["title"],
        example: 'teamwork task create --title "Add the endpoint" --role backend --blocked-by 1,2',
        text: async (task) => `Created task ${task.id}: ${await oneLine(task.title)}`,
      }),
  },
  {
    name: "task get",
    load: async () =>
      fromOperation((await import("../../tasks/operations/get-task.ts")).getTask, {
        positional: ["id"],
        example: "teamwork task get 3",
        text: async (task, screen) => (await views.task()).renderTask(task, screen),
      }),
  },
  {
    name: "task list",
    load: async () =>
      fromOperation((await import("../../tasks/operations/list-tasks.ts")).listTasks, {
        example: "teamwork task list --available --role backend",
        text: async (tasks, screen) => (await views.status()).renderTasks(tasks, screen),
      }),
  },
  {
    name: "task claim",
    load: async () =>
      fromOperation((await import("../../tasks/operations/claim-task.ts")).claimTask, {
        positional: ["id"],
        example: "teamwork task claim --next --owner w1 --role backend",
        data: ({ task, takenOverFrom, renewed }) => ({ ...task, takenOverFrom, renewed }),
        text: taskLine,
      }),
  },
  {
    name: "task heartbeat",
    load: async () =>
      fromOperation((await import("../../tasks/operations/heartbeat-task.ts")).heartbeatTask, {
        positional: ["id"],
        example: "teamwork task heartbeat 3 --owner w1",
        text: (task) => `Task ${task.id} is yours until ${task.leaseUntil}`,
      }),
  },
  {
    name: "task update",
    load: async () => (await import("../../tasks/commands/update-command.ts")).taskUpdate(taskLine),
  },
  {
    name: "task release",
    load: async () =>
      fromOperation((await import("../../tasks/operations/release-task.ts")).releaseTask, {
        positional: ["id"],
        example: "teamwork task release 3 --owner w1",
        text: oneTask,
      }),
  },
  {
    name: "task reopen",
    load: async () =>
      fromOperation((await import("../../tasks/operations/reopen-task.ts")).reopenTask, {
        positional: ["id"],
        example: "teamwork task reopen 3",
        text: oneTask,
      }),
  },
  {
    name: "task delete",
    load: async () =>
      fromOperation((await import("../../tasks/operations/delete-task.ts")).deleteTask, {
        positional: ["id"],
        example: "teamwork task delete 3",
        text: ({ id, freed }) =>
          `Deleted task ${id}${freed.length === 0 ? "" : `; ${freed.join(", ")} no longer need it`}`,
      }),
  },
  ...commandsIn(() => import("../../tasks/commands/evidence-commands.ts"), { "evidence add": "evidenceAdd" }),
  ...commandsIn(() => import("../../tasks/commands/evidence-run.ts"), { "evidence run": "evidenceRun" }),
  ...commandsIn(() => import("../../tasks/commands/evidence-commands.ts"), {
    "evidence list": "evidenceList",
    "evidence withdraw": "evidenceWithdraw",
  }),
  ...commandsIn(() => import("../../tasks/commands/wave-commands.ts"), {
    "wave calculate": "waveCalculate",
    "wave update": "waveUpdate",
    "wave status": "waveShow",
  }),
  {
    name: "verdict record",
    load: async () =>
      fromOperation((await import("../../quality/operations/record-verdict.ts")).recordVerdict, {
        example: "teamwork verdict record --scope wave --subject 1 --status passed --check build_succeeds=passed",
        text: (verdict) =>
          `Recorded: ${verdict.scope}${verdict.subject === null ? "" : ` ${verdict.subject}`} ${verdict.status}`,
      }),
  },
  {
    name: "verdict list",
    load: async () =>
      fromOperation((await import("../../quality/operations/record-verdict.ts")).listVerdicts, {
        text: async (verdicts, screen) => (await views.task()).renderVerdicts(verdicts, screen),
      }),
  },
  ...commandsIn(() => import("../../quality/commands/verify-commands.ts"), {
    "verify task": "verifyTaskCommand",
    "verify wave": "verifyWaveCommand",
    "verify final": "verifyFinalCommand",
  }),
  ...commandsIn(() => import("../../quality/commands/preflight-command.ts"), { preflight: "preflight" }),
  ...commandsIn(() => import("../../quality/commands/review-command.ts"), { "verify review": "verifyReview" }),
  ...commandsIn(() => import("../../requests/commands/approval-commands.ts"), { approvals: "approvals" }),
  {
    name: "approve",
    load: async () =>
      fromOperation((await import("../../requests/operations/approvals.ts")).approve, {
        positional: ["number"],
        example: 'teamwork approve 3 --note "keep the old endpoint"',
        text: async (approval) => (await views.approvals()).decisionLine(approval),
      }),
  },
  {
    name: "reject",
    load: async () =>
      fromOperation((await import("../../requests/operations/approvals.ts")).reject, {
        positional: ["number"],
        example: 'teamwork reject 3 --reason "no new dependency; use what is there"',
        text: async (approval) => (await views.approvals()).decisionLine(approval),
      }),
  },
  {
    name: "checkpoint",
    load: async () =>
      fromOperation((await import("../../requests/operations/checkpoints.ts")).checkpoint, {
        positional: ["name"],
        example: "teamwork checkpoint team-plan",
        text: async (approval) => (await views.approvals()).askedLine(approval),
      }),
  },
  {
    name: "task phase",
    load: async () =>
      fromOperation((await import("../../requests/operations/phases.ts")).advancePhase, {
        positional: ["id", "to"],
        example: 'teamwork task phase --id 2 --owner w1 --to requirement --report "uses the skill api-design"',
        text: (task) => `Task ${task.id} is in ${task.phase}`,
      }),
  },
  ...commandsIn(() => import("../../ownership/commands/ownership-commands.ts"), {
    "ownership check": "ownershipCheck",
  }),
  {
    name: "ownership ask",
    load: async () =>
      fromOperation((await import("../../ownership/operations/exceptions.ts")).askException, {
        positional: ["task"],
        example: 'teamwork ownership ask --task 3 --owner w1 --path package.json --reason "needs a new dependency"',
        text: async (exception) => (await views.ownership()).exceptionLine(exception),
      }),
  },
  {
    name: "ownership list",
    load: async () =>
      fromOperation((await import("../../ownership/operations/exceptions.ts")).listExceptions, {
        positional: ["task"],
        text: async (exceptions, screen) => (await views.ownership()).renderExceptions(exceptions, screen),
      }),
  },
  {
    name: "ownership grant",
    load: async () =>
      fromOperation((await import("../../ownership/operations/exceptions.ts")).grantException, {
        positional: ["task", "number"],
        example: "teamwork ownership grant --task 3 --number 1 --by orchestrator",
        text: async (exception) => (await views.ownership()).exceptionLine(exception),
      }),
  },
  {
    name: "ownership deny",
    load: async () =>
      fromOperation((await import("../../ownership/operations/exceptions.ts")).denyException, {
        positional: ["task", "number"],
        example: "teamwork ownership deny 3 1 --by orchestrator",
        text: async (exception) => (await views.ownership()).exceptionLine(exception),
      }),
  },
  ...commandsIn(() => import("../../ownership/commands/ownership-commands.ts"), {
    "ownership enforce": "ownershipEnforce",
  }),
  {
    name: "escalate",
    load: async () =>
      fromOperation((await import("../../requests/operations/escalations.ts")).escalate, {
        positional: ["trigger", "summary"],
        example: 'teamwork escalate requirement_unclear "Which currency?" --task 3 --owner w1',
        text: async (raised, screen) => (await views.escalations()).renderEscalation(raised, screen),
      }),
  },
  {
    name: "escalations",
    load: async () =>
      fromOperation((await import("../../requests/operations/escalations.ts")).listEscalations, {
        text: async (raised, screen) => (await views.escalations()).renderEscalations(raised, screen),
      }),
  },
  ...commandsIn(() => import("../../requests/commands/decide-commands.ts"), { decide: "decide" }),
  ...commandsIn(() => import("../../quality/commands/check-command-line.ts"), { check: "check" }),
  ...commandsIn(() => import("../../teams/commands/steer-commands.ts"), {
    revise: "revise",
    feedback: "feedback",
    improve: "improve",
  }),
  ...commandsIn(() => import("../../quality/commands/finding-commands.ts"), {
    findings: "findings",
    "findings show": "findingsShow",
    "findings waive": "findingsWaive",
    "findings reopen": "findingsReopen",
  }),
  ...commandsIn(() => import("../../quality/commands/qa-commands.ts"), {
    quality: "quality",
    "qa submit": "qaSubmit",
    "qa plan": "qaPlan",
    "qa record": "qaRecord",
    "qa accept": "qaAccept",
    "qa return": "qaReturn",
  }),
  ...commandsIn(() => import("../../knowledge/commands/wisdom-commands.ts"), {
    "wisdom add": "wisdomAdd",
    "wisdom list": "wisdomList",
    "wisdom remove": "wisdomRemove",
  }),
  ...commandsIn(() => import("../../knowledge/commands/explore-commands.ts"), {
    "explore put": "explorePut",
    "explore get": "exploreGet",
    "explore list": "exploreList",
    "explore clear": "exploreClear",
  }),
  ...commandsIn(() => import("../../knowledge/commands/discuss-commands.ts"), {
    "discuss open": "discussOpen",
    "discuss say": "discussSay",
    "discuss close": "discussClose",
    "discuss list": "discussList",
    "discuss show": "discussShow",
  }),
  ...commandsIn(() => import("../../knowledge/commands/artifact-commands.ts"), {
    "artifact add": "artifactAdd",
    "artifact list": "artifactList",
    "artifact show": "artifactShow",
    "artifact export": "artifactExport",
  }),
  ...commandsIn(() => import("../../knowledge/commands/skill-commands.ts"), {
    "skill list": "skillList",
    "skill choose": "skillChoose",
    "skill approve": "skillApprove",
  }),
  ...commandsIn(() => import("../../planning/commands/presets-command.ts"), { presets: "presetsCommand" }),
  ...commandsIn(() => import("../../planning/commands/coordinate-command.ts"), { coordinate: "coordinate" }),
  ...commandsIn(() => import("../../planning/commands/role-gap-command.ts"), { "role gap": "roleGap" }),
  ...commandsIn(() => import("../../delivery/commands/deliverables-command.ts"), { deliverables: "deliverables" }),
  ...commandsIn(() => import("../../teams/commands/complete-command.ts"), { archive: "archive", keep: "keep" }),
  ...commandsIn(() => import("../../sessions/commands/seat-commands.ts"), { join: "join", leave: "leave" }),
  { name: "hook", isInternal: true, load: async () => (await import("../hooks/hook.ts")).hook },
  ...commandsIn(() => import("../../workers/commands/worker-command.ts"), { worker: "worker" }),
  ...commandsIn(() => import("../../workers/commands/worker-setup.ts"), { "worker setup": "workerSetup" }),
  {
    name: "swarm status",
    load: async () =>
      fromOperation((await import("../../workers/operations/swarm-status.ts")).swarmStatus, {
        text: async (report, screen) => (await views.status()).renderSwarm(report, screen),
      }),
  },
  ...commandsIn(() => import("../../workers/commands/swarm-spawn.ts"), { "swarm spawn": "swarmSpawn" }),
  ...commandsIn(() => import("../../workers/commands/swarm-stop.ts"), { "swarm stop": "swarmStop" }),
  ...commandsIn(() => import("../../delivery/commands/swarm-merge.ts"), { "swarm merge": "swarmMerge" }),
  ...commandsIn(() => import("../../teams/commands/cancel-command.ts"), { cancel: "cancel" }),
  ...commandsIn(() => import("../../delivery/commands/deliver-command.ts"), { deliver: "deliverCommand" }),
  ...commandsIn(() => import("../../delivery/commands/undo-command.ts"), { undo: "undoCommand" }),
  ...commandsIn(() => import("../../delivery/commands/diff-command.ts"), { diff: "diff" }),
  ...commandsIn(() => import("../../workers/commands/worktree-commands.ts"), {
    "swarm sync": "swarmSync",
    "worktree create": "worktreeCreate",
    "worktree remove": "worktreeRemove",
    "worktree list": "worktreeList",
  }),
  ...commandsIn(() => import("../../workers/commands/refs-commands.ts"), { refs: "refs", recover: "recover" }),
  ...commandsIn(() => import("../../messages/commands/mailbox-commands.ts"), {
    "mailbox send": "mailboxSend",
    "mailbox read": "mailboxRead",
    "mailbox poll": "mailboxPoll",
  }),
  {
    name: "pause",
    load: async () =>
      fromOperation((await import("../../teams/operations/pause.ts")).pause, { text: ({ what }) => `Paused ${what}` }),
  },
  {
    name: "resume",
    load: async () =>
      fromOperation((await import("../../teams/operations/pause.ts")).resume, {
        text: ({ what }) => `Continued ${what}`,
      }),
  },
  ...commandsIn(() => import("../../agents/commands/logs-command.ts"), { logs: "logs" }),
  ...commandsIn(() => import("../../workers/commands/attach.ts"), { attach: "attach" }),
  ...commandsIn(() => import("../../workers/commands/open-command.ts"), { open: "open" }),
  ...commandsIn(() => import("../../teams/commands/events-tail.ts"), { "events tail": "eventsTail" }),
  ...commandsIn(() => import("../../reporting/commands/report-command.ts"), { report: "report" }),
  {
    name: "runs",
    load: async () =>
      fromOperation((await import("../../reporting/operations/list-runs.ts")).listRuns, {
        example: "teamwork runs",
        text: async (runs, screen) => (await import("../../reporting/views/runs-view.ts")).renderRuns(runs, screen),
      }),
  },
  ...commandsIn(() => import("../../reporting/commands/watch-command.ts"), { watch: "watch" }),
  ...commandsIn(() => import("../../reporting/commands/whiteboard-command.ts"), { whiteboard: "whiteboard" }),
  {
    name: "loop-state",
    load: async () =>
      fromOperation((await import("../../sessions/operations/read-loop-state.ts")).loopState, {
        text: (state) =>
          "project" in state
            ? `Loop of ${state.terminalId}: ${state.project}/${state.team}${state.role === null ? "" : ` as ${state.role}`}, since ${state.startedAt}`
            : "No loop is active in this terminal",
      }),
  },
  ...commandsIn(() => import("../../orchestrator/commands/run-team.ts"), { run: "runTeam" }),
  ...commandsIn(() => import("../../planning/commands/route-command.ts"), { route: "route" }),
  ...commandsIn(() => import("../../agents/commands/agent-commands.ts"), {
    "agent list": "agentList",
    "agent reset": "agentReset",
    "agent exec": "agentExec",
    "agent status": "agentStatus",
    "agent cancel": "agentCancel",
    "agent jobs": "agentJobs",
  }),
  {
    name: "agent perform",
    isInternal: true,
    load: async () => (await import("../../agents/commands/agent-perform.ts")).agentPerform,
  },
  ...commandsIn(() => import("../mcp/mcp.ts"), { mcp: "mcp" }),
  ...commandsIn(() => import("../../upkeep/commands/gc-command.ts"), { gc: "gc" }),
  ...commandsIn(() => import("../../upkeep/commands/trust-command.ts"), { trust: "trust" }),
  ...commandsIn(() => import("../../planning/commands/role-commands.ts"), {
    "role list": "roleList",
    "role show": "roleShow",
  }),
  ...commandsIn(() => import("../../prompts/commands/prompt-command.ts"), { prompt: "prompt" }),
  ...commandsIn(() => import("../../files/commands/export-command.ts"), { export: "exportCommand" }),
  ...commandsIn(() => import("../../files/commands/import-command.ts"), { import: "importCommand" }),
  ...commandsIn(() => import("../../upkeep/commands/doctor-command.ts"), { doctor: "doctor" }),
  ...commandsIn(() => import("./config-commands.ts"), {
    "config list": "configList",
    "config get": "configGet",
    "config set": "configSet",
    "config unset": "configUnset",
    "config path": "configPath",
    "config schema": "configSchema",
  }),
  ...commandsIn(() => import("../setup/init-command.ts"), { init: "init" }),
  ...commandsIn(() => import("../setup/plugin-commands.ts"), {
    "plugin install": "pluginInstall",
    "plugin remove": "pluginRemove",
    "plugin path": "pluginPath",
  }),
  ...commandsIn(() => import("./shell-completion.ts"), { completion: "completion" }),
]

type CommandOf<Module> = { [Name in keyof Module]: Module[Name] extends Command ? Name : never }[keyof Module]

function commandsIn<Module>(load: () => Promise<Module>, names: Record<string, CommandOf<Module>>): CommandRow[] {
  return Object.entries(names).map(([name, command]) => ({
    name,
    load: async () => (await load())[command as CommandOf<Module>] as Command,
  }))
}

export const VISIBLE_COMMANDS = COMMANDS.filter((row) => row.isInternal !== true)

/** `used`: how many arguments the name has. */
export function findCommand(args: readonly string[]): { row: CommandRow; used: number } | undefined {
  const [first = "", second = ""] = args
  const both = `${first} ${second}`
  const two = COMMANDS.find((row) => row.name === both)
  if (two !== undefined) return { row: two, used: 2 }
  // Making all dashed names is the slowest step, and hooks use their own name.
  const one = COMMANDS.find((row) => row.name === first) ?? COMMANDS.find((row) => dashedName(row) === first)
  return one && { row: one, used: 1 }
}
