import type { Task } from "../../domain/task.ts"
import { type CommandRow, dashedName, fromOperation } from "./command.ts"

const views = {
  status: () => import("../../views/status.ts"),
  task: () => import("../../views/task.ts"),
  ownership: () => import("../../views/ownership.ts"),
  approvals: () => import("../../views/approvals.ts"),
  escalations: () => import("../../views/escalations.ts"),
}
const taskLine = async ({ task }: { task: Task }) => (await views.task()).taskLine(task)
const oneLine = async (text: string) => (await import("../../views/table.ts")).oneLine(text)
const oneTask = async (task: Task) => (await views.task()).taskLine(task)

export const COMMANDS: readonly CommandRow[] = [
  { name: "setup", alias: "setup-teamwork", load: async () => (await import("./setup.ts")).setup },
  {
    name: "project create",
    load: async () =>
      fromOperation((await import("../../operations/create-team.ts")).createTeam, {
        example: 'teamwork project create --goal "Search page for items"',
        text: (team) => `Created project ${team.project}/${team.team}`,
      }),
  },
  { name: "project get", load: async () => (await import("./project-status.ts")).projectGet },
  { name: "project status", load: async () => (await import("./project-status.ts")).projectStatus },
  {
    name: "project list",
    load: async () =>
      fromOperation((await import("../../operations/list-teams.ts")).listTeams, {
        text: async (teams, screen) => (await import("../../views/teams.ts")).renderTeams(teams, screen),
      }),
  },
  {
    name: "project update",
    load: async () =>
      fromOperation((await import("../../operations/update-team.ts")).updateTeam, {
        text: async (team) =>
          `Project ${team.project}/${team.team}: ${team.mode}, ${team.schedule}, goal: ${await oneLine(team.goal)}`,
      }),
  },
  { name: "project verify", load: async () => (await import("./verify.ts")).projectVerify },
  {
    name: "project clean",
    load: async () =>
      fromOperation((await import("../../operations/clean-team.ts")).cleanTeam, {
        text: (done) =>
          done.purged
            ? `Forgot project ${done.project}/${done.team}`
            : `Reset ${done.tasksReset} tasks of ${done.project}/${done.team}`,
      }),
  },
  { name: "plan", load: async () => (await import("./plan.ts")).planCommand },
  {
    name: "task create",
    load: async () =>
      fromOperation((await import("../../operations/create-task.ts")).createTask, {
        positional: ["title"],
        example: 'teamwork task create --title "Add the endpoint" --role backend --blocked-by 1,2',
        text: async (task) => `Created task ${task.id}: ${await oneLine(task.title)}`,
      }),
  },
  {
    name: "task get",
    load: async () =>
      fromOperation((await import("../../operations/get-task.ts")).getTask, {
        positional: ["id"],
        example: "teamwork task get 3",
        text: async (task, screen) => (await views.task()).renderTask(task, screen),
      }),
  },
  {
    name: "task list",
    load: async () =>
      fromOperation((await import("../../operations/list-tasks.ts")).listTasks, {
        example: "teamwork task list --available --role backend",
        text: async (tasks, screen) => (await views.status()).renderTasks(tasks, screen),
      }),
  },
  {
    name: "task claim",
    load: async () =>
      fromOperation((await import("../../operations/claim-task.ts")).claimTask, {
        positional: ["id"],
        example: "teamwork task claim --next --owner w1 --role backend",
        data: ({ task, takenOverFrom, renewed }) => ({ ...task, takenOverFrom, renewed }),
        text: taskLine,
      }),
  },
  {
    name: "task heartbeat",
    load: async () =>
      fromOperation((await import("../../operations/heartbeat-task.ts")).heartbeatTask, {
        positional: ["id"],
        example: "teamwork task heartbeat 3 --owner w1",
        text: (task) => `Task ${task.id} is yours until ${task.leaseUntil}`,
      }),
  },
  {
    name: "task update",
    load: async () =>
      fromOperation((await import("../../operations/update-task.ts")).updateTask, {
        positional: ["id"],
        example: 'teamwork task update --id 3 --owner w1 --status resolved --add-evidence "12 tests pass"',
        data: ({ task }) => task,
        text: taskLine,
      }),
  },
  {
    name: "task release",
    load: async () =>
      fromOperation((await import("../../operations/release-task.ts")).releaseTask, {
        positional: ["id"],
        example: "teamwork task release 3 --owner w1",
        text: oneTask,
      }),
  },
  {
    name: "task reopen",
    load: async () =>
      fromOperation((await import("../../operations/reopen-task.ts")).reopenTask, {
        positional: ["id"],
        example: "teamwork task reopen 3",
        text: oneTask,
      }),
  },
  {
    name: "task delete",
    load: async () =>
      fromOperation((await import("../../operations/delete-task.ts")).deleteTask, {
        positional: ["id"],
        example: "teamwork task delete 3",
        text: ({ id, freed }) =>
          `Deleted task ${id}${freed.length === 0 ? "" : `; ${freed.join(", ")} no longer need it`}`,
      }),
  },
  { name: "evidence add", load: async () => (await import("./evidence.ts")).evidenceAdd },
  { name: "evidence run", load: async () => (await import("./evidence-run.ts")).evidenceRun },
  { name: "evidence list", load: async () => (await import("./evidence.ts")).evidenceList },
  { name: "evidence withdraw", load: async () => (await import("./evidence.ts")).evidenceWithdraw },
  { name: "wave calculate", load: async () => (await import("./wave.ts")).waveCalculate },
  { name: "wave update", load: async () => (await import("./wave.ts")).waveUpdate },
  { name: "wave status", load: async () => (await import("./wave.ts")).waveShow },
  {
    name: "verdict record",
    load: async () =>
      fromOperation((await import("../../operations/record-verdict.ts")).recordVerdict, {
        example: "teamwork verdict record --scope wave --subject 1 --status passed --check build_succeeds=passed",
        text: (verdict) =>
          `Recorded: ${verdict.scope}${verdict.subject === null ? "" : ` ${verdict.subject}`} ${verdict.status}`,
      }),
  },
  {
    name: "verdict list",
    load: async () =>
      fromOperation((await import("../../operations/record-verdict.ts")).listVerdicts, {
        text: async (verdicts, screen) => (await views.task()).renderVerdicts(verdicts, screen),
      }),
  },
  { name: "verify task", load: async () => (await import("./verify.ts")).verifyTaskCommand },
  { name: "verify wave", load: async () => (await import("./verify.ts")).verifyWaveCommand },
  { name: "verify final", load: async () => (await import("./verify.ts")).verifyFinalCommand },
  { name: "verify review", load: async () => (await import("./review.ts")).verifyReview },
  {
    name: "approvals",
    load: async () => (await import("./approvals.ts")).approvals,
  },
  {
    name: "approve",
    load: async () =>
      fromOperation((await import("../../operations/approvals.ts")).approve, {
        positional: ["number"],
        example: 'teamwork approve 3 --note "keep the old endpoint"',
        text: async (approval) => (await views.approvals()).decisionLine(approval),
      }),
  },
  {
    name: "reject",
    load: async () =>
      fromOperation((await import("../../operations/approvals.ts")).reject, {
        positional: ["number"],
        example: 'teamwork reject 3 --reason "no new dependency; use what is there"',
        text: async (approval) => (await views.approvals()).decisionLine(approval),
      }),
  },
  {
    name: "checkpoint",
    load: async () =>
      fromOperation((await import("../../operations/checkpoints.ts")).checkpoint, {
        positional: ["name"],
        example: "teamwork checkpoint team-plan",
        text: async (approval) => (await views.approvals()).askedLine(approval),
      }),
  },
  {
    name: "task phase",
    load: async () =>
      fromOperation((await import("../../operations/phases.ts")).advancePhase, {
        positional: ["id", "to"],
        example: 'teamwork task phase --id 2 --owner w1 --to requirement --report "uses the skill api-design"',
        text: (task) => `Task ${task.id} is in ${task.phase}`,
      }),
  },
  { name: "ownership check", load: async () => (await import("./ownership.ts")).ownershipCheck },
  {
    name: "ownership ask",
    load: async () =>
      fromOperation((await import("../../operations/exceptions.ts")).askException, {
        positional: ["task"],
        example: 'teamwork ownership ask --task 3 --owner w1 --path package.json --reason "needs a new dependency"',
        text: async (exception) => (await views.ownership()).exceptionLine(exception),
      }),
  },
  {
    name: "ownership list",
    load: async () =>
      fromOperation((await import("../../operations/exceptions.ts")).listExceptions, {
        positional: ["task"],
        text: async (exceptions, screen) => (await views.ownership()).renderExceptions(exceptions, screen),
      }),
  },
  {
    name: "ownership grant",
    load: async () =>
      fromOperation((await import("../../operations/exceptions.ts")).grantException, {
        positional: ["task", "number"],
        example: "teamwork ownership grant --task 3 --number 1 --by orchestrator",
        text: async (exception) => (await views.ownership()).exceptionLine(exception),
      }),
  },
  {
    name: "ownership deny",
    load: async () =>
      fromOperation((await import("../../operations/exceptions.ts")).denyException, {
        positional: ["task", "number"],
        example: "teamwork ownership deny 3 1 --by orchestrator",
        text: async (exception) => (await views.ownership()).exceptionLine(exception),
      }),
  },
  { name: "ownership enforce", load: async () => (await import("./ownership.ts")).ownershipEnforce },
  {
    name: "escalate",
    load: async () =>
      fromOperation((await import("../../operations/escalations.ts")).escalate, {
        positional: ["trigger", "summary"],
        example: 'teamwork escalate requirement_unclear "Which currency?" --task 3 --owner w1',
        text: async (raised, screen) => (await views.escalations()).renderEscalation(raised, screen),
      }),
  },
  {
    name: "escalations",
    load: async () =>
      fromOperation((await import("../../operations/escalations.ts")).listEscalations, {
        text: async (raised, screen) => (await views.escalations()).renderEscalations(raised, screen),
      }),
  },
  {
    name: "decide",
    load: async () => (await import("./decide.ts")).decide,
  },
  { name: "check", load: async () => (await import("./check.ts")).check },
  { name: "revise", load: async () => (await import("./steer.ts")).revise },
  { name: "feedback", load: async () => (await import("./steer.ts")).feedback },
  { name: "improve", load: async () => (await import("./steer.ts")).improve },
  { name: "quality", load: async () => (await import("./qa.ts")).quality },
  { name: "qa submit", load: async () => (await import("./qa.ts")).qaSubmit },
  { name: "qa plan", load: async () => (await import("./qa.ts")).qaPlan },
  { name: "qa record", load: async () => (await import("./qa.ts")).qaRecord },
  { name: "qa accept", load: async () => (await import("./qa.ts")).qaAccept },
  { name: "qa return", load: async () => (await import("./qa.ts")).qaReturn },
  { name: "wisdom add", load: async () => (await import("./wisdom.ts")).wisdomAdd },
  { name: "wisdom list", load: async () => (await import("./wisdom.ts")).wisdomList },
  { name: "wisdom remove", load: async () => (await import("./wisdom.ts")).wisdomRemove },
  { name: "explore put", load: async () => (await import("./explore.ts")).explorePut },
  { name: "explore get", load: async () => (await import("./explore.ts")).exploreGet },
  { name: "explore list", load: async () => (await import("./explore.ts")).exploreList },
  { name: "explore clear", load: async () => (await import("./explore.ts")).exploreClear },
  { name: "discuss open", load: async () => (await import("./discuss.ts")).discussOpen },
  { name: "discuss say", load: async () => (await import("./discuss.ts")).discussSay },
  { name: "discuss close", load: async () => (await import("./discuss.ts")).discussClose },
  { name: "discuss list", load: async () => (await import("./discuss.ts")).discussList },
  { name: "discuss show", load: async () => (await import("./discuss.ts")).discussShow },
  { name: "artifact add", load: async () => (await import("./artifact.ts")).artifactAdd },
  { name: "artifact list", load: async () => (await import("./artifact.ts")).artifactList },
  { name: "artifact show", load: async () => (await import("./artifact.ts")).artifactShow },
  { name: "artifact export", load: async () => (await import("./artifact.ts")).artifactExport },
  { name: "skill list", load: async () => (await import("./skill.ts")).skillList },
  { name: "skill choose", load: async () => (await import("./skill.ts")).skillChoose },
  { name: "skill approve", load: async () => (await import("./skill.ts")).skillApprove },
  { name: "presets", load: async () => (await import("./presets.ts")).presetsCommand },
  { name: "coordinate", load: async () => (await import("./coordinate.ts")).coordinate },
  { name: "role gap", load: async () => (await import("./role-gap.ts")).roleGap },
  { name: "deliverables", load: async () => (await import("./deliverables.ts")).deliverables },
  { name: "archive", load: async () => (await import("./complete.ts")).archive },
  { name: "keep", load: async () => (await import("./complete.ts")).keep },
  { name: "join", load: async () => (await import("./seat.ts")).join },
  { name: "leave", load: async () => (await import("./seat.ts")).leave },
  { name: "hook", isInternal: true, load: async () => (await import("../hooks/hook.ts")).hook },
  { name: "worker", load: async () => (await import("./worker.ts")).worker },
  { name: "worker setup", load: async () => (await import("./worker-setup.ts")).workerSetup },
  {
    name: "swarm status",
    load: async () =>
      fromOperation((await import("../../operations/swarm-status.ts")).swarmStatus, {
        text: async (report, screen) => (await views.status()).renderSwarm(report, screen),
      }),
  },
  { name: "swarm spawn", load: async () => (await import("./swarm-spawn.ts")).swarmSpawn },
  { name: "swarm stop", load: async () => (await import("./swarm-stop.ts")).swarmStop },
  { name: "swarm merge", load: async () => (await import("./swarm-merge.ts")).swarmMerge },
  { name: "cancel", load: async () => (await import("./cancel.ts")).cancel },
  { name: "deliver", load: async () => (await import("./deliver.ts")).deliverCommand },
  { name: "undo", load: async () => (await import("./undo.ts")).undoCommand },
  { name: "diff", load: async () => (await import("./diff.ts")).diff },
  { name: "swarm sync", load: async () => (await import("./worktree.ts")).swarmSync },
  { name: "worktree create", load: async () => (await import("./worktree.ts")).worktreeCreate },
  { name: "worktree remove", load: async () => (await import("./worktree.ts")).worktreeRemove },
  { name: "worktree list", load: async () => (await import("./worktree.ts")).worktreeList },
  { name: "refs", load: async () => (await import("./refs.ts")).refs },
  { name: "recover", load: async () => (await import("./refs.ts")).recover },
  { name: "mailbox send", load: async () => (await import("./mailbox.ts")).mailboxSend },
  { name: "mailbox read", load: async () => (await import("./mailbox.ts")).mailboxRead },
  { name: "mailbox poll", load: async () => (await import("./mailbox.ts")).mailboxPoll },
  {
    name: "pause",
    load: async () =>
      fromOperation((await import("../../operations/pause.ts")).pause, { text: ({ what }) => `Paused ${what}` }),
  },
  {
    name: "resume",
    load: async () =>
      fromOperation((await import("../../operations/pause.ts")).resume, { text: ({ what }) => `Continued ${what}` }),
  },
  { name: "logs", load: async () => (await import("./logs.ts")).logs },
  { name: "attach", load: async () => (await import("./attach.ts")).attach },
  { name: "events tail", load: async () => (await import("./events-tail.ts")).eventsTail },
  { name: "report", load: async () => (await import("./report.ts")).report },
  { name: "watch", load: async () => (await import("./watch.ts")).watch },
  { name: "whiteboard", load: async () => (await import("./whiteboard.ts")).whiteboard },
  {
    name: "loop-state",
    load: async () =>
      fromOperation((await import("../../operations/loop-state.ts")).loopState, {
        text: (state) =>
          "project" in state
            ? `Loop of ${state.terminalId}: ${state.project}/${state.team}${state.role === null ? "" : ` as ${state.role}`}, since ${state.startedAt}`
            : "No loop is active in this terminal",
      }),
  },
  { name: "run", load: async () => (await import("./run-team.ts")).runTeam },
  { name: "route", load: async () => (await import("./route.ts")).route },
  { name: "agent list", load: async () => (await import("./agent.ts")).agentList },
  { name: "agent exec", load: async () => (await import("./agent.ts")).agentExec },
  { name: "agent status", load: async () => (await import("./agent.ts")).agentStatus },
  { name: "agent cancel", load: async () => (await import("./agent.ts")).agentCancel },
  { name: "agent jobs", load: async () => (await import("./agent.ts")).agentJobs },
  { name: "agent perform", isInternal: true, load: async () => (await import("./agent-perform.ts")).agentPerform },
  { name: "mcp", load: async () => (await import("../mcp/mcp.ts")).mcp },
  { name: "gc", load: async () => (await import("./gc.ts")).gc },
  { name: "role list", load: async () => (await import("./role.ts")).roleList },
  { name: "role show", load: async () => (await import("./role.ts")).roleShow },
  { name: "prompt", load: async () => (await import("./prompt.ts")).prompt },
  { name: "export", load: async () => (await import("./export.ts")).exportCommand },
  { name: "import", load: async () => (await import("./import.ts")).importCommand },
  { name: "doctor", load: async () => (await import("./doctor.ts")).doctor },
  { name: "config list", load: async () => (await import("./config.ts")).configList },
  { name: "config get", load: async () => (await import("./config.ts")).configGet },
  { name: "config set", load: async () => (await import("./config.ts")).configSet },
  { name: "config unset", load: async () => (await import("./config.ts")).configUnset },
  { name: "config path", load: async () => (await import("./config.ts")).configPath },
  { name: "config schema", load: async () => (await import("./config.ts")).configSchema },
  { name: "init", load: async () => (await import("./init.ts")).init },
  { name: "plugin install", load: async () => (await import("./plugin.ts")).pluginInstall },
  { name: "plugin remove", load: async () => (await import("./plugin.ts")).pluginRemove },
  { name: "plugin path", load: async () => (await import("./plugin.ts")).pluginPath },
  { name: "completion", load: async () => (await import("./completion.ts")).completion },
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
