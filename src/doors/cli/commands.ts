import { type CommandRow, dashedName, fromOperation } from "../../app/command.ts"
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
  { name: "project get", load: async () => (await import("../../reporting/commands/project-status.ts")).projectGet },
  {
    name: "project status",
    load: async () => (await import("../../reporting/commands/project-status.ts")).projectStatus,
  },
  {
    name: "project list",
    load: async () => (await import("../../teams/commands/project-list.ts")).projectList,
  },
  { name: "link", load: async () => (await import("../../teams/commands/link-command.ts")).link },
  {
    name: "project update",
    load: async () =>
      fromOperation((await import("../../teams/operations/update-team.ts")).updateTeam, {
        text: async (team) =>
          `Project ${team.project}/${team.team}: ${team.mode}, ${team.schedule}, goal: ${await oneLine(team.goal)}`,
      }),
  },
  {
    name: "project verify",
    load: async () => (await import("../../quality/commands/verify-commands.ts")).projectVerify,
  },
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
  { name: "plan", load: async () => (await import("../../planning/commands/plan-command.ts")).planCommand },
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
  { name: "evidence add", load: async () => (await import("../../tasks/commands/evidence-commands.ts")).evidenceAdd },
  { name: "evidence run", load: async () => (await import("../../tasks/commands/evidence-run.ts")).evidenceRun },
  { name: "evidence list", load: async () => (await import("../../tasks/commands/evidence-commands.ts")).evidenceList },
  {
    name: "evidence withdraw",
    load: async () => (await import("../../tasks/commands/evidence-commands.ts")).evidenceWithdraw,
  },
  { name: "wave calculate", load: async () => (await import("../../tasks/commands/wave-commands.ts")).waveCalculate },
  { name: "wave update", load: async () => (await import("../../tasks/commands/wave-commands.ts")).waveUpdate },
  { name: "wave status", load: async () => (await import("../../tasks/commands/wave-commands.ts")).waveShow },
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
  {
    name: "verify task",
    load: async () => (await import("../../quality/commands/verify-commands.ts")).verifyTaskCommand,
  },
  {
    name: "verify wave",
    load: async () => (await import("../../quality/commands/verify-commands.ts")).verifyWaveCommand,
  },
  {
    name: "verify final",
    load: async () => (await import("../../quality/commands/verify-commands.ts")).verifyFinalCommand,
  },
  { name: "preflight", load: async () => (await import("../../quality/commands/preflight-command.ts")).preflight },
  { name: "verify review", load: async () => (await import("../../quality/commands/review-command.ts")).verifyReview },
  {
    name: "approvals",
    load: async () => (await import("../../requests/commands/approval-commands.ts")).approvals,
  },
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
  {
    name: "ownership check",
    load: async () => (await import("../../ownership/commands/ownership-commands.ts")).ownershipCheck,
  },
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
  {
    name: "ownership enforce",
    load: async () => (await import("../../ownership/commands/ownership-commands.ts")).ownershipEnforce,
  },
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
  {
    name: "decide",
    load: async () => (await import("../../requests/commands/decide-commands.ts")).decide,
  },
  { name: "check", load: async () => (await import("../../quality/commands/check-command-line.ts")).check },
  { name: "revise", load: async () => (await import("../../teams/commands/steer-commands.ts")).revise },
  { name: "feedback", load: async () => (await import("../../teams/commands/steer-commands.ts")).feedback },
  { name: "improve", load: async () => (await import("../../teams/commands/steer-commands.ts")).improve },
  { name: "findings", load: async () => (await import("../../quality/commands/finding-commands.ts")).findings },
  {
    name: "findings show",
    load: async () => (await import("../../quality/commands/finding-commands.ts")).findingsShow,
  },
  {
    name: "findings waive",
    load: async () => (await import("../../quality/commands/finding-commands.ts")).findingsWaive,
  },
  {
    name: "findings reopen",
    load: async () => (await import("../../quality/commands/finding-commands.ts")).findingsReopen,
  },
  { name: "quality", load: async () => (await import("../../quality/commands/qa-commands.ts")).quality },
  { name: "qa submit", load: async () => (await import("../../quality/commands/qa-commands.ts")).qaSubmit },
  { name: "qa plan", load: async () => (await import("../../quality/commands/qa-commands.ts")).qaPlan },
  { name: "qa record", load: async () => (await import("../../quality/commands/qa-commands.ts")).qaRecord },
  { name: "qa accept", load: async () => (await import("../../quality/commands/qa-commands.ts")).qaAccept },
  { name: "qa return", load: async () => (await import("../../quality/commands/qa-commands.ts")).qaReturn },
  { name: "wisdom add", load: async () => (await import("../../knowledge/commands/wisdom-commands.ts")).wisdomAdd },
  { name: "wisdom list", load: async () => (await import("../../knowledge/commands/wisdom-commands.ts")).wisdomList },
  {
    name: "wisdom remove",
    load: async () => (await import("../../knowledge/commands/wisdom-commands.ts")).wisdomRemove,
  },
  { name: "explore put", load: async () => (await import("../../knowledge/commands/explore-commands.ts")).explorePut },
  { name: "explore get", load: async () => (await import("../../knowledge/commands/explore-commands.ts")).exploreGet },
  {
    name: "explore list",
    load: async () => (await import("../../knowledge/commands/explore-commands.ts")).exploreList,
  },
  {
    name: "explore clear",
    load: async () => (await import("../../knowledge/commands/explore-commands.ts")).exploreClear,
  },
  {
    name: "discuss open",
    load: async () => (await import("../../knowledge/commands/discuss-commands.ts")).discussOpen,
  },
  { name: "discuss say", load: async () => (await import("../../knowledge/commands/discuss-commands.ts")).discussSay },
  {
    name: "discuss close",
    load: async () => (await import("../../knowledge/commands/discuss-commands.ts")).discussClose,
  },
  {
    name: "discuss list",
    load: async () => (await import("../../knowledge/commands/discuss-commands.ts")).discussList,
  },
  {
    name: "discuss show",
    load: async () => (await import("../../knowledge/commands/discuss-commands.ts")).discussShow,
  },
  {
    name: "artifact add",
    load: async () => (await import("../../knowledge/commands/artifact-commands.ts")).artifactAdd,
  },
  {
    name: "artifact list",
    load: async () => (await import("../../knowledge/commands/artifact-commands.ts")).artifactList,
  },
  {
    name: "artifact show",
    load: async () => (await import("../../knowledge/commands/artifact-commands.ts")).artifactShow,
  },
  {
    name: "artifact export",
    load: async () => (await import("../../knowledge/commands/artifact-commands.ts")).artifactExport,
  },
  { name: "skill list", load: async () => (await import("../../knowledge/commands/skill-commands.ts")).skillList },
  { name: "skill choose", load: async () => (await import("../../knowledge/commands/skill-commands.ts")).skillChoose },
  {
    name: "skill approve",
    load: async () => (await import("../../knowledge/commands/skill-commands.ts")).skillApprove,
  },
  { name: "presets", load: async () => (await import("../../planning/commands/presets-command.ts")).presetsCommand },
  { name: "coordinate", load: async () => (await import("../../planning/commands/coordinate-command.ts")).coordinate },
  { name: "role gap", load: async () => (await import("../../planning/commands/role-gap-command.ts")).roleGap },
  {
    name: "deliverables",
    load: async () => (await import("../../delivery/commands/deliverables-command.ts")).deliverables,
  },
  { name: "archive", load: async () => (await import("../../teams/commands/complete-command.ts")).archive },
  { name: "keep", load: async () => (await import("../../teams/commands/complete-command.ts")).keep },
  { name: "join", load: async () => (await import("../../sessions/commands/seat-commands.ts")).join },
  { name: "leave", load: async () => (await import("../../sessions/commands/seat-commands.ts")).leave },
  { name: "hook", isInternal: true, load: async () => (await import("../hooks/hook.ts")).hook },
  { name: "worker", load: async () => (await import("../../workers/commands/worker-command.ts")).worker },
  { name: "worker setup", load: async () => (await import("../../workers/commands/worker-setup.ts")).workerSetup },
  {
    name: "swarm status",
    load: async () =>
      fromOperation((await import("../../workers/operations/swarm-status.ts")).swarmStatus, {
        text: async (report, screen) => (await views.status()).renderSwarm(report, screen),
      }),
  },
  { name: "swarm spawn", load: async () => (await import("../../workers/commands/swarm-spawn.ts")).swarmSpawn },
  { name: "swarm stop", load: async () => (await import("../../workers/commands/swarm-stop.ts")).swarmStop },
  { name: "swarm merge", load: async () => (await import("../../delivery/commands/swarm-merge.ts")).swarmMerge },
  { name: "cancel", load: async () => (await import("../../teams/commands/cancel-command.ts")).cancel },
  { name: "deliver", load: async () => (await import("../../delivery/commands/deliver-command.ts")).deliverCommand },
  { name: "undo", load: async () => (await import("../../delivery/commands/undo-command.ts")).undoCommand },
  { name: "diff", load: async () => (await import("../../delivery/commands/diff-command.ts")).diff },
  { name: "swarm sync", load: async () => (await import("../../workers/commands/worktree-commands.ts")).swarmSync },
  {
    name: "worktree create",
    load: async () => (await import("../../workers/commands/worktree-commands.ts")).worktreeCreate,
  },
  {
    name: "worktree remove",
    load: async () => (await import("../../workers/commands/worktree-commands.ts")).worktreeRemove,
  },
  {
    name: "worktree list",
    load: async () => (await import("../../workers/commands/worktree-commands.ts")).worktreeList,
  },
  { name: "refs", load: async () => (await import("../../workers/commands/refs-commands.ts")).refs },
  { name: "recover", load: async () => (await import("../../workers/commands/refs-commands.ts")).recover },
  { name: "mailbox send", load: async () => (await import("../../messages/commands/mailbox-commands.ts")).mailboxSend },
  { name: "mailbox read", load: async () => (await import("../../messages/commands/mailbox-commands.ts")).mailboxRead },
  { name: "mailbox poll", load: async () => (await import("../../messages/commands/mailbox-commands.ts")).mailboxPoll },
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
  { name: "logs", load: async () => (await import("../../agents/commands/logs-command.ts")).logs },
  { name: "attach", load: async () => (await import("../../workers/commands/attach.ts")).attach },
  { name: "open", load: async () => (await import("../../workers/commands/open-command.ts")).open },
  { name: "events tail", load: async () => (await import("../../teams/commands/events-tail.ts")).eventsTail },
  { name: "report", load: async () => (await import("../../reporting/commands/report-command.ts")).report },
  {
    name: "runs",
    load: async () =>
      fromOperation((await import("../../reporting/operations/list-runs.ts")).listRuns, {
        example: "teamwork runs",
        text: async (runs, screen) => (await import("../../reporting/views/runs-view.ts")).renderRuns(runs, screen),
      }),
  },
  { name: "watch", load: async () => (await import("../../reporting/commands/watch-command.ts")).watch },
  { name: "whiteboard", load: async () => (await import("../../reporting/commands/whiteboard-command.ts")).whiteboard },
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
  { name: "run", load: async () => (await import("../../orchestrator/commands/run-team.ts")).runTeam },
  { name: "route", load: async () => (await import("../../planning/commands/route-command.ts")).route },
  { name: "agent list", load: async () => (await import("../../agents/commands/agent-commands.ts")).agentList },
  { name: "agent reset", load: async () => (await import("../../agents/commands/agent-commands.ts")).agentReset },
  { name: "agent exec", load: async () => (await import("../../agents/commands/agent-commands.ts")).agentExec },
  { name: "agent status", load: async () => (await import("../../agents/commands/agent-commands.ts")).agentStatus },
  { name: "agent cancel", load: async () => (await import("../../agents/commands/agent-commands.ts")).agentCancel },
  { name: "agent jobs", load: async () => (await import("../../agents/commands/agent-commands.ts")).agentJobs },
  {
    name: "agent perform",
    isInternal: true,
    load: async () => (await import("../../agents/commands/agent-perform.ts")).agentPerform,
  },
  { name: "mcp", load: async () => (await import("../mcp/mcp.ts")).mcp },
  { name: "gc", load: async () => (await import("../../upkeep/commands/gc-command.ts")).gc },
  { name: "trust", load: async () => (await import("../../upkeep/commands/trust-command.ts")).trust },
  { name: "role list", load: async () => (await import("../../planning/commands/role-commands.ts")).roleList },
  { name: "role show", load: async () => (await import("../../planning/commands/role-commands.ts")).roleShow },
  { name: "prompt", load: async () => (await import("../../prompts/commands/prompt-command.ts")).prompt },
  { name: "export", load: async () => (await import("../../files/commands/export-command.ts")).exportCommand },
  { name: "import", load: async () => (await import("../../files/commands/import-command.ts")).importCommand },
  { name: "doctor", load: async () => (await import("../../upkeep/commands/doctor-command.ts")).doctor },
  { name: "config list", load: async () => (await import("./config-commands.ts")).configList },
  { name: "config get", load: async () => (await import("./config-commands.ts")).configGet },
  { name: "config set", load: async () => (await import("./config-commands.ts")).configSet },
  { name: "config unset", load: async () => (await import("./config-commands.ts")).configUnset },
  { name: "config path", load: async () => (await import("./config-commands.ts")).configPath },
  { name: "config schema", load: async () => (await import("./config-commands.ts")).configSchema },
  { name: "init", load: async () => (await import("../setup/init-command.ts")).init },
  { name: "plugin install", load: async () => (await import("../setup/plugin-commands.ts")).pluginInstall },
  { name: "plugin remove", load: async () => (await import("../setup/plugin-commands.ts")).pluginRemove },
  { name: "plugin path", load: async () => (await import("../setup/plugin-commands.ts")).pluginPath },
  { name: "completion", load: async () => (await import("./shell-completion.ts")).completion },
]

/** Those that people are told of. */
export const VISIBLE_COMMANDS = COMMANDS.filter((row) => row.isInternal !== true)

/** The row the arguments begin with, and how many of them name it. */
export function findCommand(args: readonly string[]): { row: CommandRow; used: number } | undefined {
  const [first = "", second = ""] = args
  const both = `${first} ${second}`
  const two = COMMANDS.find((row) => row.name === both)
  if (two !== undefined) return { row: two, used: 2 }
  // Making all the other names takes longer than all the rest here, and hooks come by their own.
  const one = COMMANDS.find((row) => row.name === first) ?? COMMANDS.find((row) => dashedName(row) === first)
  return one && { row: one, used: 1 }
}
