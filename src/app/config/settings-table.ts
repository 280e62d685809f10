import { programSettings } from "./program-settings.ts"
import { choice, decimal, flag, milliseconds, seconds, secondsList, text, texts, wholeNumber } from "./setting.ts"
import { SHARED_BY_DEFAULT } from "./shared-files.ts"

const gateCommands = (kind: string) =>
  texts(
    [],
    `The ${kind} commands that gates run, each a line for the shell; empty means they are detected from the files.`,
  )
const gateSwitch = (kind: string) => flag(true, `Whether gates run the ${kind} commands.`)
const describeBudget = (unit: string, whose: string) =>
  `How many ${unit} ${whose} may use in all its agent runs; 0 means no limit.`

/** Files nest the keys at the dots. Rows are functions: building all of them takes 0.5 ms, and a call needs few. */
export const SETTINGS = {
  store: () =>
    text("", "Where the state lives: sqlite:PATH or postgres://...; empty means a SQLite file in the home folder.", {
      pattern: /^$|^sqlite:.|^postgres(ql)?:\/\/./,
      expects: "sqlite:PATH or postgres://...",
      isPath: true,
    }),
  "defaults.project": () =>
    text("", "The project to work on; empty means the repository's own, which is named after its folder.", {}),
  "defaults.team": () => text("", "The team to work on; empty means the current branch."),
  projectsDirectory: () =>
    text("", "The folder that holds the project documents; empty means projects in the current folder.", {
      isPath: true,
    }),
  "team.maxAgents": () =>
    wholeNumber(5, "How many workers may run at the same time. The lead, QA and verifiers do not count.", {
      min: 1,
      max: 64,
    }),
  "team.defaultAgentType": () =>
    text("executor", "The agent type of a task that does not name one.", {
      pattern: /\S/,
      expects: "the name of an agent type",
    }),
  "team.defaultModel": () =>
    choice(["haiku", "sonnet", "opus"], "sonnet", "The model tier of a task whose complexity is not known."),
  "team.monitorIntervalMs": () =>
    milliseconds(30_000, "How often the engine checks its workers, in milliseconds.", {
      min: 1,
    }),
  "team.shutdownTimeoutMs": () =>
    milliseconds(
      15_000,
      "How long a worker may take to stop before it is killed, in milliseconds; 0 waits without a limit.",
    ),
  "team.watchdogWarningMs": () =>
    milliseconds(300_000, "A worker silent for this long gets a warning, in milliseconds; 0 disables."),
  "team.watchdogGraceMs": () =>
    milliseconds(120_000, "How long a warned worker has to answer the status check, in milliseconds; 0 disables."),
  "team.watchdogReassignMs": () =>
    milliseconds(600_000, "A worker silent for this long loses its task to another, in milliseconds; 0 disables."),
  "team.agentTimeoutSeconds": () => seconds(1800, "The longest one agent run may take, in seconds; 0 disables."),
  "team.agentWaitSeconds": () =>
    seconds(
      30,
      "How long an agent may wait for a provider that limits it, fails or cannot be reached, in seconds. Then its run ends and another agent can take over; 0 waits without a limit.",
    ),
  "team.agentSilenceSeconds": () =>
    seconds(
      600,
      "An agent that prints nothing for this long while none of its tools runs counts as hung and is ended, in seconds; 0 disables.",
    ),
  "team.maxSameCalls": () =>
    wholeNumber(
      5,
      "An agent that makes the same call with the same result this many times in a row is in a loop and is ended; 0 disables.",
    ),
  "team.freshStartIntervalSeconds": () =>
    seconds(3600, "A task that is claimed for longer than this starts over, in seconds; 0 disables."),
  "team.pollIntervalSeconds": () =>
    seconds(30, "How often a waiting worker prints that it waits, in seconds; it sees new work at once.", { min: 1 }),
  "team.maxConsecutiveErrors": () =>
    wholeNumber(3, "A worker that fails this many times in a row is quarantined; 0 disables."),
  "team.maxRunsPerTask": () =>
    wholeNumber(
      3,
      "How many agent runs one attempt of a task may take before it fails: the first run, repairs, and tries of other workers; 0 means only the other limits count.",
    ),
  "team.maxRestarts": () =>
    wholeNumber(
      3,
      "How often a crashed worker is restarted, and how often a task is retried after a fault that is not its own, such as an agent program that does not start.",
    ),
  "team.restartBackoffSeconds": () =>
    secondsList([5, 10, 20], "The wait before each restart, in seconds; the last one repeats."),
  "team.faultBackoffSeconds": () =>
    secondsList(
      [5, 10, 20],
      "How long an agent program is not used after each of its faults in a row, in seconds. After one more fault it is left out for team.faultLeaveOutSeconds.",
    ),
  "team.faultLeaveOutSeconds": () =>
    seconds(
      300,
      "How long an agent program that keeps failing is left out, in seconds. The time doubles after each further failure.",
    ),
  "team.faultMaxLeaveOutSeconds": () =>
    seconds(
      3600,
      "The longest time an agent program is left out, in seconds; used at once where waiting does not help, such as without a login.",
    ),
  "team.scarceQuotaPercent": () =>
    wholeNumber(
      80,
      "An agent program that used this share of its quota gets only tasks on the critical path, if another program can take the rest; 0 disables.",
      { max: 100 },
    ),
  "team.maxTimeoutRestarts": () =>
    wholeNumber(2, "How often a task is retried after its agent ran out of time, within team.maxRunsPerTask."),
  "team.maxGeneratedRoles": () => wholeNumber(5, "How many roles planning may invent for one team.", { min: 1 }),
  "team.enableCascade": () =>
    flag(
      true,
      "Whether follow-up tasks are created where the plan, its preset or its template asks for them: tests for code, a review for tests.",
    ),
  "team.onBlockerFailed": () =>
    choice(
      ["ask", "retry", "remove-need", "skip-dependants"],
      "ask",
      "What happens when a task fails that other tasks need: ask asks a person, retry tries it once more, remove-need lets the others continue without it, skip-dependants skips them.",
    ),
  "team.partialDelivery": () =>
    choice(
      ["ask", "always", "never"],
      "ask",
      "What happens to finished work when failed tasks keep a run from finishing: ask offers to deliver it without them, always delivers it once it passes the final gate, never leaves it on the integration branch.",
    ),
  "team.enableCrossCliVerification": () =>
    flag(
      true,
      "Whether an agent reviews the finished work: a different program than the one that did it, or a new session of the same one.",
    ),
  "review.required": () =>
    flag(
      false,
      "Whether work needs the verdict of a review before it is delivered. Agents then also review what only scripts or people did.",
    ),
  "claim.leaseSeconds": () =>
    seconds(3600, "How long a claim made by CLI or MCP holds without a call from its owner, in seconds.", { min: 1 }),
  "claim.workerLeaseSeconds": () =>
    seconds(120, "How long a managed worker's claim holds without a heartbeat, in seconds.", {
      min: 1,
    }),
  "claim.renewSeconds": () =>
    seconds(30, "How often a managed worker renews its claim, in seconds; less than claim.workerLeaseSeconds.", {
      min: 1,
    }),
  "evidence.blockedPatterns": () =>
    texts(
      [
        "should work",
        "probably works",
        "basic implementation",
        "you can extend this",
        "TODO",
        "FIXME",
        "not implemented",
        "placeholder",
      ],
      "Words that make a result unacceptable; whole words, upper or lower case.",
    ),
  "evidence.warnPatterns": () =>
    texts(["WIP", "hack", "temporary"], "Words that give a warning on a result; whole words, upper or lower case."),
  "quality.pass": () => wholeNumber(80, "The weighted score, of 100, that work needs to pass QA.", { max: 100 }),
  "quality.review": () =>
    wholeNumber(60, "The weighted score from which the lead decides; below it, QA fails the work.", {
      max: 100,
    }),
  "qa.dimensions": () =>
    texts(
      [],
      "What QA scores and how much each score counts, for work of every type; empty means the type of the task decides.",
      {
        pattern: /^[a-z][a-z0-9_-]*=\d{1,3}$/,
        expects: "dimensions with weights that add up to 100, such as correctness=60,tests=40",
      },
    ),
  "git.authorName": () =>
    text("", "The author name of agents' commits; empty means yours in git, or else `teamwork AGENT`."),
  "git.authorEmail": () =>
    text("", "The author address of agents' commits; empty means yours in git, or else one that does not exist."),
  "recordings.maxMegabytes": () =>
    wholeNumber(
      50,
      "How much of what an agent prints in one run is kept, in megabytes; the beginning is dropped first.",
      { min: 1, max: 1_000_000 },
    ),
  "recordings.maxAgeDays": () =>
    wholeNumber(
      14,
      "How long `teamwork gc` keeps finished jobs, recordings and gate results, in days; 0 keeps them forever.",
      { max: 36_500 },
    ),
  "ownership.onOverlap": () =>
    choice(
      ["refuse", "serialise"],
      "refuse",
      "What happens to a task whose files overlap with those of another task that could run at the same time: refuse it, or serialise the two with a need.",
    ),
  "ownership.shared": () =>
    texts(
      SHARED_BY_DEFAULT,
      "Patterns of shared files. In a run every task may change them, and the engine merges the changes; where a session leads the team, they belong to the lead unless it grants them.",
    ),
  "workspace.setup": () =>
    text(
      "",
      "A shell command that sets up each worktree and gate checkout, such as npm ci; empty: what its lock files ask for; none: nothing.",
    ),
  "workspace.setupTimeoutSeconds": () => seconds(900, "The longest a set-up program may take, in seconds.", { min: 1 }),
  "workspace.cacheMegabytes": () =>
    wholeNumber(20_000, "How much of the checkouts' installed dependencies gc keeps, in megabytes."),
  "workspace.portBase": () =>
    wholeNumber(
      21_000,
      "The first port for worktrees and gate checkouts; each gets 20 ports of its own (TEAMWORK_PORT).",
      { min: 1024, max: 65_000 },
    ),
  "workspace.copy": () =>
    texts(
      [],
      "Files that git does not track and each worktree gets a copy of, as globs from the root of the repository, such as .env.",
    ),
  "workspace.keep": () =>
    texts(
      [],
      "Ignored files that stay when a worktree moves to the next task, written as in .gitignore, such as node_modules.",
    ),
  "workspace.remote": () =>
    texts(
      [],
      "Remotes of the repository that workers and gates may reach from their own repositories, such as origin; none by default.",
      { isForUserOnly: true },
    ),
  "delivery.sign": () =>
    flag(true, "Whether merge commits are signed where commit.gpgSign is set and signing needs no person."),
  "delivery.commitHooks": () => flag(true, "Whether your commit-msg hook runs on the messages of merge commits."),
  ...programSettings(),
  "agents.userSettings": () =>
    flag(
      false,
      "Whether agents also get your own instructions, skills and MCP servers, and Claude Code your settings with their hooks; logins and providers always work.",
      { isForUserOnly: true },
    ),
  "agents.passEnv": () =>
    texts([], "More variables that agents get, besides those that their programs need.", {
      pattern: /^[A-Za-z_][A-Za-z0-9_]*\*?$/,
      expects: "names of variables, such as MY_PROXY_TOKEN or CORP_*",
      isForUserOnly: true,
    }),
  "agents.prices": () =>
    texts(
      [],
      "What models cost: MODEL=INPUT/CACHED/OUTPUT in dollars per million tokens, optionally with @DATE; overrides the built-in prices.",
      {
        pattern: /^[^\s=,]+=(\d+(\.\d+)?\/){2}\d+(\.\d+)?(@\d{4}-\d\d-\d\d)?$/,
        expects: "MODEL=INPUT/CACHED/OUTPUT@DATE, such as gpt-5.5=5/0.5/30@2026-06-04",
      },
    ),
  "gates.build": () => gateCommands("build"),
  "gates.lint": () => gateCommands("lint"),
  "gates.test": () => gateCommands("test"),
  "gates.enableBuild": () => gateSwitch("build"),
  "gates.enableLint": () => gateSwitch("lint"),
  "gates.enableTest": () => gateSwitch("test"),
  "gates.timeoutSeconds": () => seconds(1200, "The longest one gate command may take, in seconds.", { min: 1 }),
  "gates.variables": () =>
    texts([], "Variables that gate commands get besides the usual ones, such as DATABASE_URL; a name may end in *.", {
      isForUserOnly: true,
    }),
  "gates.ignoredFiles": () =>
    texts(
      [
        "**/*.md",
        "**/*.mdx",
        "**/*.rst",
        "**/*.adoc",
        "**/CHANGELOG*",
        "**/LICENSE*",
        "**/*.lock",
        "**/*.lockb",
        "**/*-lock.json",
        "**/*-lock.yaml",
        "**/npm-shrinkwrap.json",
        "**/go.sum",
        "**/*.min.*",
        "**/*.map",
        "**/*.snap",
        "**/*.svg",
        "**/*.generated.*",
        "**/*_pb2.py",
        "**/*.pb.go",
        "**/node_modules/**",
        "**/vendor/**",
        "**/third_party/**",
        "**/dist/**",
        "**/__snapshots__/**",
      ],
      "Files whose added lines gates do not search for blocked patterns: documentation and generated files.",
    ),
  "engine.runtime": () =>
    choice(["child", "tmux"], "child", "Where workers run: as child processes, or each in a pane of a tmux session."),
  "engine.repairTurns": () =>
    wholeNumber(
      2,
      "How often an agent gets its work back with what the gate found before the task is set back; within team.maxRunsPerTask.",
      { max: 100 },
    ),
  "engine.permission": () =>
    choice(
      ["edit", "full"],
      "full",
      "What a worker's agent may do in its worktree without asking: edit files, or (full) also run commands such as tests and git.",
      { isForUserOnly: true },
    ),
  "engine.mcp": () => flag(true, "Whether a worker's agent gets the tools of `teamwork mcp`."),
  "engine.leaseSeconds": () =>
    wholeNumber(30, "How long an orchestrator leads its team without a sign of life, in seconds.", {
      min: 1,
      max: 3600,
    }),
  "engine.files": () =>
    flag(
      true,
      "Whether a run keeps the team as plain files in its folder in the home, as `teamwork export` writes them.",
    ),
  "approvals.agent": () =>
    text(
      "auto",
      "Who decides on plans that no person is asked about: auto for the best suited agent, the name of an agent, or none to approve all plans.",
    ),
  "completion.action": () =>
    choice(
      ["interactive", "archive", "keep", "export"],
      "interactive",
      "What happens to a team when its run is done: archive it, keep it, export it to its folder in the home and archive it, or (interactive) show the commands for that.",
    ),
  "budget.taskTokens": () => wholeNumber(0, describeBudget("tokens", "a task")),
  "budget.taskDollars": () => decimal(0, describeBudget("dollars", "a task")),
  "budget.workerTokens": () => wholeNumber(0, describeBudget("tokens", "a worker")),
  "budget.workerDollars": () => decimal(0, describeBudget("dollars", "a worker")),
  "budget.teamTokens": () => wholeNumber(0, describeBudget("tokens", "a team")),
  "budget.teamDollars": () => decimal(0, describeBudget("dollars", "a team")),
  "notify.bell": () => flag(true, "Whether `teamwork run` rings the terminal bell when something waits for a person."),
  "notify.command": () =>
    text(
      "",
      "A shell command that `teamwork run` runs when something waits for a person, for example to show a desktop notification; the text is in the variable TEAMWORK_NOTICE.",
      { isForUserOnly: true },
    ),
}
