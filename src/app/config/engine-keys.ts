function budget<const Env extends string>(env: Env, whose: string, unit: "tokens" | "dollars") {
  return {
    type: "number",
    default: 0,
    min: 0,
    ...(unit === "dollars" ? ({ isDecimal: true } as const) : {}),
    env,
    description: `How many ${unit} ${whose} may use up in all its runs of agents; 0 for no limit.`,
  } as const
}

/** The settings of the engine. Part of the table of all settings. */
export const ENGINE_KEYS = {
  "engine.runtime": {
    type: "string",
    default: "child",
    choices: ["child", "tmux"],
    env: "TEAMWORK_ENGINE_RUNTIME",
    description: "Where workers run: as child processes, or each in a pane of a tmux session.",
  },
  "engine.repairTurns": {
    type: "number",
    default: 2,
    min: 0,
    max: 100,
    env: "TEAMWORK_ENGINE_REPAIR_TURNS",
    description:
      "How often an agent gets its own work back with what the gate found, before the task is set back; within team.maxRunsPerTask.",
  },
  "engine.permission": {
    type: "string",
    default: "full",
    choices: ["edit", "full"],
    env: "TEAMWORK_ENGINE_PERMISSION",
    isForUserOnly: true,
    description:
      "What the agent of a worker does by itself in its worktree: edit files, or (full) run commands such as tests and git too.",
  },
  "engine.mcp": {
    type: "boolean",
    default: true,
    env: "TEAMWORK_ENGINE_MCP",
    description: "Whether the agent of a worker gets the tools of `teamwork mcp`, as that worker.",
  },
  "engine.leaseSeconds": {
    type: "number",
    default: 30,
    min: 1,
    max: 3600,
    env: "TEAMWORK_ENGINE_LEASE_SECONDS",
    description: "How long an orchestrator that nobody hears of leads its team, in seconds.",
  },
  "engine.files": {
    type: "boolean",
    default: true,
    env: "TEAMWORK_ENGINE_FILES",
    description:
      "Keep the team as plain files in its folder in the home while a run goes on, as `teamwork export` writes them.",
  },
  "approvals.agent": {
    type: "string",
    default: "auto",
    env: "TEAMWORK_APPROVALS_AGENT",
    description:
      "Who decides on plans that no person is asked about: auto for the agent that suits best, the name of one, or none to approve them all.",
  },
  "completion.action": {
    type: "string",
    default: "interactive",
    choices: ["interactive", "archive", "keep", "export"],
    env: "TEAMWORK_COMPLETION_ACTION",
    description:
      "What becomes of a team when its run is done: archive it, keep it, export it to its folder in the home and archive it, or tell a person how.",
  },
  "budget.taskTokens": budget("TEAMWORK_BUDGET_TASK_TOKENS", "a task", "tokens"),
  "budget.taskDollars": budget("TEAMWORK_BUDGET_TASK_DOLLARS", "a task", "dollars"),
  "budget.workerTokens": budget("TEAMWORK_BUDGET_WORKER_TOKENS", "a worker", "tokens"),
  "budget.workerDollars": budget("TEAMWORK_BUDGET_WORKER_DOLLARS", "a worker", "dollars"),
  "budget.teamTokens": budget("TEAMWORK_BUDGET_TEAM_TOKENS", "a team", "tokens"),
  "budget.teamDollars": budget("TEAMWORK_BUDGET_TEAM_DOLLARS", "a team", "dollars"),
} as const
