// Every command with what it must answer. All cases start from the same little project, see `prepareShop`.
import { expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, git } from "./bench.ts"

export interface Case {
  readonly command: string
  /** A pipe gets the text itself; programs that want JSON say so. */
  readonly isDocument?: boolean
  /** Programs get a line for everything that happens, and the answer last. */
  readonly isStream?: boolean
  readonly args: readonly string[]
  /** What must be there in the folder. */
  readonly prepare?: (bench: Bench) => void
  /** What must be done first, on top of the little project. */
  readonly before?: readonly (readonly string[])[]
  /** What must be done in the end, so that nothing goes on. */
  readonly after?: readonly (readonly string[])[]
  /** What `data` must match. */
  readonly data: unknown
  /** Names of fields that `data`, or each of its items, must have. */
  readonly fields?: readonly string[]
  /** The same for what one of the fields holds. */
  readonly inner?: { readonly of: string; readonly fields: readonly string[] }
  /** What people must see. */
  readonly table: RegExp
}

/** The call that leaves out something required, and the flag the message must name. */
export interface Missing {
  readonly command: string
  readonly args: readonly string[]
  readonly message: RegExp
}

/**
 * Wave 1: 1 held by w1, 3 resolved by w2, 4 open; wave 2: 2, which needs 1. One note on 1, one message to w1, one
 * verdict on 3. And a job of an agent that ended long ago.
 */
export async function prepareShop(bench: Bench): Promise<void> {
  prepareJob(bench)
  prepareTarget(bench)
  await bench.ok("project", "create", "--goal", "Search page")
  await bench.ok("task", "create", "--id", "1", "--title", "Schema", "--role", "backend")
  await bench.ok("task", "create", "--id", "2", "--title", "Endpoint", "--role", "backend", "--blocked-by", "1")
  await bench.ok("task", "create", "--id", "3", "--title", "Page", "--role", "frontend")
  await bench.ok("task", "create", "--id", "4", "--title", "Manual", "--role", "docs")
  await bench.ok("wave", "calculate")
  await bench.ok("task", "claim", "--id", "1", "--owner", "w1")
  await bench.ok("task", "claim", "--id", "3", "--owner", "w2")
  await bench.ok("task", "update", "--id", "3", "--owner", "w2", "--status", "resolved")
  await bench.ok("evidence", "add", "--id", "1", "--owner", "w1", "--add-evidence", "12 tests pass")
  await bench.ok("mailbox", "send", "--from", "orchestrator", "--to", "w1", "--message", "Hello")
  await bench.ok("verdict", "record", "--scope", "task", "--subject", "3", "--status", "passed")
}

/** A plan for another team, of one task that a script does. */
function prepareSide({ cwd }: Bench): void {
  const task = { id: "1", title: "One", files: ["one.txt"], acceptance: ["it is there"], run: ["echo 1 > one.txt"] }
  writeFileSync(join(cwd, "side.json"), JSON.stringify({ goal: "Side", tasks: [task] }))
}

/** Two commits on the branch that gives the team its name. */
function prepareCheckout({ cwd }: Bench): void {
  git(cwd, "init", "--quiet", "--initial-branch=main")
  git(cwd, "config", "user.name", "Test")
  git(cwd, "config", "user.email", "test@example.com")
  for (const name of ["one", "two"]) {
    writeFileSync(join(cwd, `${name}.txt`), `${name}\n`)
    git(cwd, "add", "--all")
    git(cwd, "commit", "--quiet", "-m", name)
  }
}

/** In the home, which every case gets a copy of: `main` checked out, and one commit of w2 on top of it. */
const REPOSITORY = ["--source-dir", "../home/repository"]

function prepareTarget(bench: Bench): void {
  const folder = join(bench.home, "repository")
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    const { success, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: folder, env: sandboxEnv() })
    if (!success) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  }
  git("init", "--quiet", "--initial-branch=main")
  git("init", "--quiet", "--bare", "../remote.git")
  git("remote", "add", "origin", "../remote.git")
  git("config", "user.name", "Test")
  git("config", "user.email", "test@example.com")
  git("commit", "--quiet", "--allow-empty", "-m", "Start")
  git("checkout", "--quiet", "-b", "teamwork/shop/main/w2")
  writeFileSync(join(folder, "page.html"), PAGE)
  git("add", "page.html")
  git("commit", "--quiet", "-m", "Page")
  git("checkout", "--quiet", "main")
}

const PAGE = "<h1>Search</h1>\n"
const sha1 = (data: Uint8Array) => new Bun.CryptoHasher("sha1").update(data).digest()
const gitObject = (type: string, content: Uint8Array) =>
  sha1(Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]))
/** The tree that holds the page and nothing else. */
const TREE = gitObject(
  "tree",
  Buffer.concat([Buffer.from("100644 page.html\0"), gitObject("blob", Buffer.from(PAGE))]),
).toString("hex")

const MERGED = ["swarm", "merge", ...REPOSITORY]
/** Everything resolved, merged, verified, and passed by the final gate. */
const READY_TO_DELIVER = [
  MERGED,
  ["task", "update", "--id", "1", "--owner", "w1", "--status", "resolved"],
  ...["4", "2"].flatMap((id) => [
    ...(id === "2" ? [["wave", "update", "--wave", "1", "--status", "verified"]] : []),
    ["task", "claim", "--id", id, "--owner", "w3"],
    ["task", "update", "--id", id, "--owner", "w3", "--status", "resolved"],
  ]),
  ["wave", "update", "--wave", "2", "--status", "verified"],
  ["verdict", "record", "--scope", "final", "--status", "passed", "--check", `commit=passed:${TREE}`],
]

function prepareJob(bench: Bench): void {
  const folder = join(bench.home, "jobs", "job-1")
  mkdirSync(folder, { recursive: true })
  const job = { jobId: "job-1", agent: "codex", prompt: "Say hi", createdAt: "2020-01-01T00:00:00.000Z" }
  const usage = { inputTokens: 7, outputTokens: 2, cachedTokens: 0, dollars: null }
  const result = { reason: "done", answer: "hi", error: "", usage, finishedAt: "2020-01-01T00:01:00.000Z" }
  writeFileSync(join(folder, "job.json"), JSON.stringify(job))
  writeFileSync(join(folder, "result.json"), JSON.stringify(result))
}

/** Makes the folder a repository, on the branch that the little project's team is called after. */
export function prepareRepository({ cwd }: Bench): void {
  writeFileSync(join(cwd, "a.txt"), "a\n")
  git(cwd, "init", "--quiet", "--initial-branch=main")
  git(cwd, "add", "--all")
  git(cwd, "-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "Start")
}

function preparePlan({ cwd }: Bench): void {
  const plan = `goal: Search page
tasks:
  - id: 5
    title: Index
    files: index/**
    checks: test -d index
    run: mkdir index && touch index/names.txt
  - id: 6
    title: Search
    description: Reads index/names.txt; the command is in package.json.
    needs: 5
    agentType: executor
    acceptance: It finds items
`
  writeFileSync(join(cwd, "plan.yml"), plan)
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const COMMIT = expect.stringMatching(/^[0-9a-f]{40}$/)
const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)

const PROJECT_FIELDS = ["project", "team", "goal", "phase", "created_at", "updated_at"] // R027
const STATS = ["total", "open", "in_progress", "resolved"]
// R015, without `evidence`, which comes with a single task only.
const TASK_FIELDS = [
  "id",
  "title",
  "description",
  "role",
  "complexity",
  "priority",
  "status",
  "blocked_by",
  "wave",
  "created_at",
  "updated_at",
  "claimed_by",
  "claimed_at",
  "completed_at",
  "version",
]
const EVIDENCE_FIELDS = ["number", "type", "trust", "text", "by", "timestamp", "attempt"]
const WAVE_PLAN_FIELDS = ["version", "total_waves", "current_wave", "waves"] // R056
const WORKER_FIELDS = [
  "id",
  "role",
  "pane",
  "worktree",
  "branch",
  "session_id",
  "status",
  "current_task",
  "tasks_completed",
  "last_heartbeat",
] // R103
const SWARM_FIELDS = ["session", "status", "created_at", "workers", "current_wave", "paused"] // R102
const MESSAGE_FIELDS = ["id", "from", "to", "type", "payload", "timestamp", "read"] // R115
const VERDICT_FIELDS = ["scope", "subject", "status", "checks", "issues", "by", "timestamp"] // R135
const LOOP_FIELDS = ["active", "project", "team", "role", "started_at", "terminal_id"] // R078

const PROJECT_CASES: Case[] = [
  {
    command: "setup",
    args: ["--project", "shop", "--team", "main"],
    data: { project: "shop", team: "main", exists: true, store: expect.stringMatching(/^sqlite:.*\/teamwork\.db$/) },
    fields: ["project", "team", "home", "store", "exists"],
    table: /^Project shop\/main\nStore {3}sqlite:.*teamwork\.db\n$/,
  },
  {
    command: "project create",
    args: [
      "--project",
      "other",
      "--team",
      "dev",
      "--goal",
      "Ünïcödé",
      "--mode",
      "SUPERVISED",
      "--schedule",
      "eager",
      "--protocol",
      "none",
      "--qa",
    ],
    data: {
      project: "other",
      team: "dev",
      goal: "Ünïcödé",
      phase: "PLANNING",
      mode: "SUPERVISED",
      protocol: "none",
      has_qa: true,
      created_at: TIME,
    },
    fields: PROJECT_FIELDS,
    table: /^Created project other\/dev\n$/,
  },
  {
    command: "project get",
    args: [],
    data: { project: "shop", team: "main", stats: { total: 4, open: 2, in_progress: 1, resolved: 1, progress: 25 } },
    fields: [...PROJECT_FIELDS, "stats"],
    inner: { of: "stats", fields: STATS },
    table: /^shop\/main {2}EXECUTION\nGoal: Search page\n/,
  },
  {
    command: "project status",
    args: [],
    data: { stats: { total: 4, open: 2, in_progress: 1, resolved: 1 }, current_wave: 1 },
    fields: [...PROJECT_FIELDS, "stats", "waves", "workers"],
    table: /█+░+ 25% {2}1\/4 done\nopen 2 {3}in progress 1 {3}resolved 1 {3}workers 1 of 2 busy\n/,
  },
  {
    command: "project status",
    args: ["--field", "stats.progress"],
    data: 25,
    table: /^25\n$/,
  },
  {
    command: "project status",
    args: ["--verbose"],
    data: { tasks: [{ id: "1" }, { id: "2" }, { id: "3" }, { id: "4" }] },
    table: /ID +STATUS +WAVE +ROLE +OWNER +TITLE +NEEDS\n1 +in_progress +1 +backend +w1 +Schema\n2 +blocked +2 /,
  },
  {
    command: "project list",
    args: [],
    data: [{ project: "shop", team: "main", goal: "Search page" }],
    fields: PROJECT_FIELDS,
    table: /^PROJECT +TEAM +PHASE +STATUS +CREATED +GOAL\nshop +main +EXECUTION +active +\S+ \S+ +Search page\n$/,
  },
  {
    command: "project list",
    prepare: prepareRepository,
    before: [["link", "shop"]],
    args: [],
    data: [
      { team: "main", repositories: [{ folder: expect.stringMatching(/\/shop$/), exists: true, is_linked: false }] },
    ],
    fields: [...PROJECT_FIELDS, "repositories"],
    table: /\n\nPROJECT +FOLDER *\nshop +\/.*\/shop *\n$/,
  },
  {
    command: "link",
    prepare: prepareRepository,
    args: ["shop"],
    data: { project: "shop", folder: expect.stringMatching(/\/shop$/), changed: true, default_project: "shop" },
    fields: ["project", "folder", "changed", "default_project"],
    table: /^\/.*\/shop is attached to project shop; undo it with: teamwork link shop --remove\n$/,
  },
  {
    command: "link",
    prepare: prepareRepository,
    before: [["link", "shop"]],
    args: ["--name", "shop", "--remove"],
    data: { project: "shop", folder: expect.stringMatching(/\/shop$/), changed: true, default_project: null },
    fields: ["project", "folder", "changed", "default_project"],
    table: /^\/.*\/shop is no longer attached to project shop\n$/,
  },
  {
    command: "project update",
    args: ["--goal", "New goal", "--mode", "SUPERVISED", "--schedule", "eager", "--protocol", "none", "--qa", "off"],
    data: { goal: "New goal", mode: "SUPERVISED", schedule: "eager" },
    fields: PROJECT_FIELDS,
    table: /^Project shop\/main: SUPERVISED, eager, goal: New goal\n$/,
  },
  {
    command: "project clean",
    args: ["--force"],
    data: { project: "shop", team: "main", run: 2, purged: false, closed: 1, tasks: 4 },
    table:
      /^Closed run 1 of shop\/main with 4 tasks, and began run 2, which is empty; see .*: teamwork report --run 1\n$/,
  },
  {
    command: "project clean",
    args: ["--force", "--purge"],
    data: { purged: true },
    table: /^Forgot project shop\/main\n$/,
  },
]

const TASK_CASES: Case[] = [
  {
    command: "task create",
    args: [
      ...["Build", "--agent", "script", "--model", "none", "--effort", "low", "--priority", "5"],
      ...["--run", "make", "--run", "make install", "--repair", "make clean all"],
    ],
    data: {
      title: "Build",
      priority: 5,
      work: {
        ...{ agent: "script", model: "none", effort: "low", commands: ["make", "make install"] },
        ...{ repair: ["make clean all"], cascade_of: null, cascade_depth: 0 },
      },
    },
    table: /^Created task 5: Build\n$/,
  },
  {
    command: "task create",
    args: [
      ...["--id", "five", "--title", "Tests", "--description", "All of\nthem", "--role", "test"],
      ...["--complexity", "complex", "--blocked-by", "1, 4", "--acceptance", "green", "--acceptance", "fast"],
      ...[
        "--check",
        "npm test",
        "--files",
        "test/**",
        "--files",
        "a.ts",
        "--agent-type",
        "test-engineer",
        "--assignee",
        "w1",
      ],
    ],
    data: {
      id: "five",
      title: "Tests",
      description: "All of\nthem",
      role: "test",
      complexity: "complex",
      status: "open",
      blocked_by: ["1", "4"],
      wave: 2,
      acceptance: ["green", "fast"],
      checks: ["npm test"],
      files: ["test/**", "a.ts"],
      agent_type: "test-engineer",
      assignee: "w1",
      created_at: TIME,
      updated_at: TIME,
      claimed_by: null,
      claimed_at: null,
      completed_at: null,
    },
    fields: TASK_FIELDS,
    table: /^Created task five: Tests\n$/,
  },
  {
    command: "task create",
    before: [
      [
        "task",
        "create",
        "--id",
        "5",
        "--title",
        "One",
        "--files",
        "src/**",
        "--files",
        "package.json",
        "--grant-shared",
      ],
    ],
    args: [
      "--title",
      "Two",
      "--files",
      "src/a.ts",
      "--files",
      "tsconfig.json",
      "--on-overlap",
      "serialise",
      "--grant-shared",
    ],
    data: { id: "6", files: ["src/a.ts", "tsconfig.json"], blocked_by: ["5"] },
    table: /^Created task 6: Two\n$/,
  },
  {
    command: "task create",
    args: ["Only a title"],
    data: { id: "5", title: "Only a title", description: "", role: "worker", complexity: "standard", blocked_by: [] },
    table: /^Created task 5: Only a title\n$/,
  },
  {
    command: "task get",
    args: ["--id", "1"],
    data: { id: "1", claimed_by: "w1", claimed_at: TIME, wave: 1, evidence: [{ type: "note", text: "12 tests pass" }] },
    fields: [...TASK_FIELDS, "evidence"],
    table: /^Task 1: Schema\nstatus {7}in_progress\nrole {9}backend, standard\nwave {9}1\nheld by {6}w1 since /,
  },
  {
    command: "task list",
    args: [],
    data: [{ id: "1" }, { id: "2", blocked_by: ["1"], unmet: 1 }, { id: "3", status: "resolved" }, { id: "4" }],
    fields: TASK_FIELDS,
    table: /^ID +STATUS +WAVE +ROLE +OWNER +TITLE +NEEDS\n1 +in_progress +1 +backend +w1 +Schema\n/,
  },
  {
    command: "task list",
    args: ["--available", "--role", "docs"],
    data: [{ id: "4" }],
    table: /\n4 +open +1 +docs +- +Manual\n$/,
  },
  {
    command: "task list",
    args: ["--status", "resolved", "--limit", "5"],
    data: [{ id: "3", completed_at: TIME }],
    table: /\n3 +resolved +1 +frontend +w2 +Page\n$/,
  },
  {
    command: "task claim",
    args: ["--id", "4", "--owner", "w3", "--role", "docs", "--strict-role", "--worker-id", "w3"],
    data: { id: "4", status: "in_progress", claimed_by: "w3", claim_token: 1, renewed: false, taken_over_from: null },
    fields: [...TASK_FIELDS, "claim_token", "lease_until", "taken_over_from", "renewed"],
    table: /^Task 4 is in_progress \(w3\): Manual\n$/,
  },
  {
    command: "task claim",
    args: ["--next", "--owner", "w3", "--lease-seconds", "60"],
    data: { id: "4", claimed_by: "w3" },
    table: /^Task 4 is in_progress \(w3\): Manual\n$/,
  },
  {
    command: "task heartbeat",
    args: ["--id", "1", "--owner", "w1", "--token", "1"],
    data: { id: "1", claimed_by: "w1", lease_until: TIME },
    fields: TASK_FIELDS,
    table: /^Task 1 is yours until \d{4}-.*Z\n$/,
  },
  {
    command: "task update",
    args: ["--id", "4", "--priority", "-3"],
    data: { id: "4", priority: -3 },
    table: /^Task 4 is open: Manual\n$/,
  },
  {
    command: "task update",
    args: [
      ...["--id", "1", "--owner", "w1", "--token", "1", "--status", "resolved", "--worker-id", "w1"],
      ...["--add-evidence", "it builds", "--add-evidence", "it runs", "--result", "all done"],
    ],
    data: { id: "1", status: "resolved", completed_at: TIME, result: "all done", claimed_by: "w1" },
    fields: TASK_FIELDS,
    table: /^Task 1 is resolved \(w1\): Schema\n$/,
  },
  {
    command: "task update",
    args: [
      ...["--id", "2", "--title", "Better", "--description", "More", "--role", "security", "--complexity", "simple"],
      ...["--assignee", "w9", "--add-blocked-by", "4", "--remove-blocked-by", "1"],
    ],
    data: {
      title: "Better",
      description: "More",
      role: "security",
      complexity: "simple",
      assignee: "w9",
      blocked_by: ["4"],
    },
    table: /^Task 2 is open: Better\n$/,
  },
  {
    command: "task update",
    before: [["task", "update", "--id", "1", "--files", "src/**"]],
    args: ["--id", "4", "--files", "./src//a.ts", "--files", "go.mod", "--on-overlap", "serialise", "--grant-shared"],
    data: { files: ["src/a.ts", "go.mod"], blocked_by: ["1"] },
    table: /^Task 4 is open: Manual\n$/,
  },
  {
    command: "task update",
    args: ["--id", "1", "--release", "--reason", "tired"],
    data: { status: "open", claimed_by: null, claimed_at: null },
    table: /^Task 1 is open: Schema\n$/,
  },
  {
    command: "task update",
    args: [
      "--id",
      "1",
      "--status",
      "in_review",
      "--evidence-type",
      "command",
      "--command",
      "make",
      "--exit-code",
      "0",
      "--output",
      "ok",
    ],
    data: { status: "in_review", claimed_by: "w1" },
    table: /^Task 1 is in_review \(w1\): Schema\n$/,
  },
  {
    command: "task update",
    args: ["--id", "1", "--evidence-type", "file", "--path", "a.sql", "--action", "modified"],
    data: { status: "in_progress" },
    table: /^Task 1 is in_progress \(w1\): Schema\n$/,
  },
  {
    command: "task update",
    args: ["--id", "1", "--evidence-type", "test", "--passed", "3", "--failed", "0"],
    data: { status: "in_progress" },
    table: /^Task 1 is in_progress \(w1\): Schema\n$/,
  },
  {
    command: "task release",
    args: ["--id", "1", "--owner", "w1", "--token", "1", "--reason", "tired"],
    data: { id: "1", status: "open", claimed_by: null, claimed_at: null },
    fields: TASK_FIELDS,
    table: /^Task 1 is open: Schema\n$/,
  },
  {
    command: "task reopen",
    args: ["--id", "3", "--reason", "not good enough"],
    data: { id: "3", status: "open", attempt: 2, completed_at: null },
    fields: TASK_FIELDS,
    table: /^Task 3 is open: Page\n$/,
  },
  {
    command: "task delete",
    args: ["--id", "1", "--force"],
    data: { id: "1", freed: ["2"] },
    table: /^Deleted task 1; 2 no longer need it\n$/,
  },
]

const EVIDENCE_CASES: Case[] = [
  {
    command: "evidence add",
    args: [
      ...["--id", "1", "--owner", "w1", "--token", "1", "--evidence-type", "command"],
      ...["--command", "npm test", "--exit-code", "0", "--output", "ok", "--add-evidence", "all green"],
    ],
    data: [{ type: "command", trust: "reported", command: "npm test", exit_code: 0, output: "ok", timestamp: TIME }], // R131
    fields: EVIDENCE_FIELDS,
    table: /\n2 +reported +command +\S+ \S+ +w1 +npm test -> 0; all green\n$/,
  },
  {
    command: "evidence add",
    args: ["--id", "1", "--evidence-type", "file", "--path", "src/a.ts", "--action", "created"],
    data: [{ type: "file", path: "src/a.ts", action: "created", timestamp: TIME }],
    table: /file .* created src\/a\.ts\n$/,
  },
  {
    command: "evidence add",
    args: ["--id", "1", "--passed", "12", "--failed", "0"],
    data: [{ type: "test", passed: 12, failed: 0 }],
    table: /test .* 12 passed, 0 failed\n$/,
  },
  {
    command: "evidence run",
    args: [
      ...["--id", "1", "--owner", "w1", "--token", "1", "--timeout", "30", "--working-directory", "."],
      ...["--", "echo", "it works"],
    ],
    data: {
      type: "command",
      trust: "attested",
      command: "echo 'it works'",
      exit_code: 0,
      output: "it works\n",
      output_hash: new Bun.CryptoHasher("sha256").update("it works\n").digest("hex"),
      duration_ms: expect.any(Number),
      by: "w1",
      timestamp: TIME,
    },
    fields: EVIDENCE_FIELDS,
    table: /^Evidence 2 of task 1: echo 'it works' exited with 0\n$/,
  },
  {
    command: "evidence list",
    args: ["--id", "1"],
    data: [{ number: 1, type: "note", text: "12 tests pass", by: "w1", timestamp: TIME, withdrawn_at: null }],
    fields: EVIDENCE_FIELDS,
    table: /^# +TRUST +TYPE +WHEN +BY +WHAT\n1 +reported +note +\S+ \S+ +w1 +12 tests pass\n$/,
  },
  {
    command: "evidence withdraw",
    args: ["--id", "1", "--number", "1", "--owner", "w1", "--reason", "wrong"],
    data: [{ number: 1, withdrawn_at: TIME }],
    fields: EVIDENCE_FIELDS,
    table: /\(withdrawn\) 12 tests pass\n$/,
  },
  {
    command: "verdict record",
    args: [
      ...["--scope", "wave", "--subject", "1", "--status", "failed", "--by", "w2"],
      ...["--check", "build_succeeds=failed:exit code 2", "--check", "all_tasks_resolved=passed", "--issue", "broken"],
    ],
    data: {
      scope: "wave",
      subject: "1",
      status: "failed",
      checks: [
        { name: "build_succeeds", status: "failed", evidence: "exit code 2" },
        { name: "all_tasks_resolved", status: "passed" },
      ],
      issues: ["broken"],
      by: "w2",
      timestamp: TIME,
    },
    fields: VERDICT_FIELDS,
    table: /^Recorded: wave 1 failed\n$/,
  },
  {
    command: "verdict list",
    args: [],
    data: [{ scope: "task", subject: "3", status: "passed", checks: [], issues: [] }],
    fields: VERDICT_FIELDS,
    table: /^WHEN +SCOPE +SUBJECT +STATUS +BY +CHECKS +ISSUES\n\S+ \S+ +task +3 +passed +person\n$/,
  },
]

const WORKTREE_FIELDS = ["worker", "path", "branch", "base", "head", "attempt"]
const PIN_FIELDS = ["ref", "place", "number", "kind", "commit", "date", "subject", "is_contained"]
const madeAndRemoved = (worker: string) => [
  ["worktree", "create", "--worker-id", worker],
  ["worktree", "remove", "--worker-id", worker],
]

const WORKTREE_CASES: Case[] = [
  {
    command: "worktree create",
    prepare: prepareRepository,
    args: ["--worker-id", "w1", "--base", "main", "--source-dir", "."],
    data: {
      worker: "w1",
      branch: "teamwork/shop/main/w1",
      base: COMMIT,
      is_new: true,
      attempt: { task: "1", attempt: 1 },
    },
    fields: [...WORKTREE_FIELDS, "is_new", "copied", "setup_log"],
    table: /^Made \/.*\/worktrees\/shop-[0-9a-f]{8}\/main\/w1 on teamwork\/shop\/main\/w1, at [0-9a-f]{10}\n$/,
  },
  {
    command: "worktree create",
    prepare: prepareRepository,
    before: [["worktree", "create", "--worker-id", "w9"]],
    args: ["w9"],
    data: { worker: "w9", is_new: false, attempt: null },
    table: /^Already exists: \//,
  },
  {
    command: "worktree remove",
    prepare: prepareRepository,
    before: [["worktree", "create", "--worker-id", "w1"]],
    args: ["--worker-id", "w1", "--source-dir", "."],
    data: { worker: "w1", is_removed: true, pinned: [{ kind: "head", commit: COMMIT }, { kind: "base" }] },
    fields: ["worker", "path", "is_removed", "pinned"],
    table: /^Pinned [0-9a-f]{10} as refs\/teamwork\/shop\/main\/1\/1\/head\n(.*\n)+Removed \/.*\/w1\n$/,
  },
  {
    command: "worktree remove",
    prepare: prepareRepository,
    args: ["w1"],
    data: { worker: "w1", is_removed: false, pinned: [] },
    table: /^w1 has no worktree\n$/,
  },
  {
    command: "worktree list",
    prepare: prepareRepository,
    before: [["worktree", "create", "--worker-id", "w1"]],
    args: ["--source-dir", "."],
    data: [{ worker: "w1", branch: "teamwork/shop/main/w1", state: "clean", changes: [] }],
    fields: [...WORKTREE_FIELDS, "state", "changes"],
    table: /^WORKER +STATE +BRANCH +HEAD +PATH\nw1 +clean +teamwork\/shop\/main\/w1 +[0-9a-f]{10} +\//,
  },
  {
    command: "swarm sync",
    prepare: prepareRepository,
    before: [["worktree", "create", "--worker-id", "w1"]],
    args: ["--worker-id", "w1", "--source-dir", "."],
    data: { worker: "w1", result: "up-to-date", onto: "main", head: COMMIT },
    fields: [...WORKTREE_FIELDS, "result", "onto"],
    table: /^teamwork\/shop\/main\/w1 is up to date with main, at [0-9a-f]{10}\n$/,
  },
  {
    command: "refs",
    prepare: prepareRepository,
    before: [...madeAndRemoved("w1"), ...madeAndRemoved("w9")],
    args: [],
    data: [{ kind: "base" }, { kind: "head", place: { task: "1" } }, { kind: "head", place: { worker: "w9" } }],
    fields: PIN_FIELDS,
    table:
      /^TASK +# +KIND +COMMIT +WHEN +IN TARGET +SUBJECT\n1 +1 +base .* yes +Start\n1 +1 +head .*\nworker w9 +1 +head /,
  },
  {
    command: "refs",
    prepare: prepareRepository,
    before: madeAndRemoved("w1"),
    args: ["--task", "1", "--prune", "--source-dir", "."],
    data: { forgotten: [{ kind: "base" }, { kind: "head" }], left: [] },
    table: /^Forgot refs\/teamwork\/shop\/main\/1\/1\/base \([0-9a-f]{40}\)\nForgot .*\nNothing is pinned\.\n$/,
  },
  {
    command: "refs",
    prepare: prepareRepository,
    before: [...madeAndRemoved("w1"), ...madeAndRemoved("w9")],
    args: ["--worker-id", "w9", "--purge"],
    data: { forgotten: [{ place: { worker: "w9" }, kind: "head" }], left: [] },
    table: /^Forgot refs\/teamwork\/shop\/main\/workers\/w9\/1\/head /,
  },
  {
    command: "recover",
    prepare: prepareRepository,
    before: madeAndRemoved("w1"),
    args: ["--task", "1", "--attempt", "1", "--kind", "base", "--branch", "back", "--source-dir", "."],
    data: { branch: "back", kind: "base", commit: COMMIT, subject: "Start" },
    fields: ["branch", ...PIN_FIELDS],
    table: /^Branch back is at [0-9a-f]{10}: Start\n$/,
  },
  {
    command: "recover",
    prepare: prepareRepository,
    before: madeAndRemoved("w9"),
    args: ["--worker-id", "w9"],
    data: { branch: "recovered/w9-1", kind: "head" },
    table: /^Branch recovered\/w9-1 is at [0-9a-f]{10}: Start\n$/,
  },
]

const WAVE_CASES: Case[] = [
  {
    command: "wave calculate",
    args: [],
    data: {
      version: "1.0",
      total_waves: 2,
      current_wave: 1,
      waves: [
        { id: 1, status: "in_progress", tasks: ["1", "3", "4"], started_at: TIME, verified_at: null },
        { id: 2, status: "planning", tasks: ["2"], started_at: null, verified_at: null },
      ],
    },
    fields: WAVE_PLAN_FIELDS,
    inner: { of: "waves", fields: ["id", "status", "tasks", "started_at", "verified_at"] },
    table: /^WAVE +STATUS +STARTED +VERIFIED +TASKS\n +>1 +in_progress +\S+ \S+ +- +1 3 4\n +2 +planning +- +- +2\n$/,
  },
  {
    command: "wave update",
    args: ["--wave", "1", "--status", "failed"],
    data: { current_wave: 1, waves: [{ id: 1, status: "failed" }, { id: 2 }] },
    fields: WAVE_PLAN_FIELDS,
    table: /\n +>1 +failed /,
  },
  {
    command: "wave status",
    args: [],
    data: { version: "1.0", total_waves: 2, current_wave: 1, waves: [{ id: 1 }, { id: 2 }] },
    fields: WAVE_PLAN_FIELDS,
    table: /^WAVE +STATUS/,
  },
]

/** Nobody here has work for it, so it waits. */
const spawn = (...flags: string[]) => ["swarm", "spawn", "--role", "security", ...flags, ...REPOSITORY]
const STOP_ALL = ["swarm", "stop", "--all", "--force", ...REPOSITORY]
const SPAWNED_FIELDS = ["id", "role", "pid", "pane", "worktree", "branch", "log", "status", "detail"]

const SWARM_CASES: Case[] = [
  {
    command: "swarm spawn",
    args: ["--roles", "security,devops", "--runtime", "child", "--worktree", ...REPOSITORY],
    after: [STOP_ALL],
    data: {
      runtime: "child",
      workers: [
        { id: "w3", role: "security", status: "running", pane: null, branch: "teamwork/shop/main/w3", detail: null },
        { id: "w4", role: "devops", status: "running", pane: null, branch: "teamwork/shop/main/w4", detail: null },
      ],
    },
    inner: { of: "workers", fields: SPAWNED_FIELDS },
    table:
      /^WORKER +ROLE +STATUS +PROCESS +PANE +WORKTREE\nw3 +security +running +\d+ +- +\/.*\nw4 +devops +running +\d+ +- +\//,
  },
  {
    command: "swarm spawn",
    args: ["--role", "security", "--count", "2", ...REPOSITORY],
    after: [STOP_ALL],
    data: {
      runtime: "child",
      workers: [
        { id: "w3", worktree: null },
        { id: "w4", worktree: null },
      ],
    },
    table: /\nw3 +security +running +\d+ +- +-\nw4 +security +running +\d+ +- +-\n$/,
  },
  {
    command: "swarm stop",
    before: [spawn("--worktree")],
    args: ["--worker", "w3", "--force", ...REPOSITORY],
    data: [
      {
        id: "w3",
        was_running: true,
        released: [],
        worktree: expect.stringMatching(/\/w3$/),
        pins: ["refs/teamwork/shop/main/workers/w3/1/head"],
      },
    ],
    table: /^Stopped w3\n {2}kept as refs\/teamwork\/shop\/main\/workers\/w3\/1\/head\n {2}removed \/.*\/w3\n$/,
  },
  {
    command: "swarm stop",
    before: [spawn("--runtime", "tmux")],
    args: ["--all", ...REPOSITORY],
    data: [{ id: "w3", was_running: true, released: [], worktree: null, pins: [] }],
    fields: ["id", "was_running", "released", "worktree", "pins"],
    table: /^Stopped w3\n$/,
  },
  {
    command: "logs",
    isDocument: true,
    args: ["--of", "4", "--turn", "1", "--tail", "5"],
    data: { kind: "task", id: "4", runs: [], lines: [] },
    table: /^Nothing is recorded of turn 1 of task 4 yet\.\n$/,
  },
  {
    command: "attach",
    isDocument: true,
    before: [spawn("--runtime", "tmux")],
    after: [STOP_ALL],
    args: ["--worker", "w3"],
    data: { worker: "w3", command: expect.arrayContaining(["tmux", "attach-session", "=teamwork-shop"]) },
    table: /^tmux -u -L teamwork-[0-9a-f]{12} attach-session -t =teamwork-shop /,
  },
]

const OPEN_CASES: Case[] = ["--done", "--give-back", "--keep"].map((flag) => ({
  command: "open",
  isDocument: true,
  args: ["--id", "4", "--print", flag, ...REPOSITORY],
  data: { task: "4", agent: null, session: null, workspace: expect.stringContaining("/person-"), env: {} },
  fields: ["task", "agent", "session", "workspace", "command", "env"],
  table: /^cd \S+\/person-\S+ && \S+\n$/,
}))

const WORKER_CASES: Case[] = [
  {
    command: "worker setup",
    args: [
      ...["--role", "docs", "--worker-id", "w7", "--session-id", "s1", "--fresh-start-interval", "0"],
      ...["--loop", "--poll-interval", "30"],
    ],
    data: { worker: { id: "w7", role: "docs", session_id: "s1" }, available: 1, next: { id: "4" }, reason: "found" },
    fields: ["project", "team", "worker", "released", "available", "next", "reason"],
    inner: { of: "worker", fields: WORKER_FIELDS },
    table: /^Worker w7\. Next: task 4: "Manual" \(1 available\)\n$/,
  },
  {
    command: "worker",
    before: [
      [
        ...["task", "create", "--id", "9", "--title", "Nine", "--role", "docs", "--assignee", "w7"],
        ...["--run", "echo 9 > nine.txt", "--check", "grep 9 nine.txt"],
      ],
    ],
    args: [
      ...["--role", "docs", "--worker-id", "w7", "--fresh-start-interval", "0", "--poll-interval", "30"],
      ...["--once", "--loop", "--keep-polling", "--managed", ...REPOSITORY],
    ],
    data: { worker: "w7", reason: "once", delivered: ["9"], set_back: [] },
    fields: ["worker", "reason", "delivered", "set_back"],
    table: /^Worker w7 ended: it was to do one task\. Delivered: 9\. Set back: none\.\n$/,
  },
  {
    command: "run",
    prepare: prepareSide,
    args: [
      ...[
        "--what",
        "side.json",
        "--yes",
        "--trust",
        "--on-overlap",
        "serialise",
        "--team",
        "side",
        "--workers",
        "1",
        "--worktree",
      ],
      ...["--runtime", "child", "--schedule", "eager", "--target", "main"],
      ...["--partial", "--no-deliver", "--no-review", "--no-cascade", "--preset", "teamwork", ...REPOSITORY],
      ...["--budget", "5usd"],
    ],
    isDocument: true,
    isStream: true,
    data: {
      outcome: "done",
      reason:
        "all tasks are done and verified on the integration branch, not delivered; do that with: teamwork deliver",
    },
    table: /\] task 1 resolved by w1\n(?:.*\n)*shop\/side is done: .*not delivered.*; see: teamwork report\n$/,
  },
  {
    command: "cancel",
    args: ["--reason", "the shop is sold", "--force", "--purge", ...REPOSITORY],
    data: { project: "shop", team: "main", stopped: [], done: 1, total: 4, is_purged: true },
    table:
      /^Team shop\/main force-cancelled\. 0 workers stopped\. 1\/4 tasks were completed before cancellation\. It is deleted\.\n$/,
  },
  {
    command: "swarm status",
    args: [],
    data: {
      session: "teamwork-shop",
      status: "running",
      paused: false,
      current_wave: 1,
      workers: [
        { id: "w1", status: "working", current_task: "1", tasks_completed: [], last_heartbeat: TIME, unread: 1 },
        { id: "w2", status: "idle", current_task: null, tasks_completed: ["3"] },
      ],
    },
    fields: SWARM_FIELDS,
    inner: { of: "workers", fields: WORKER_FIELDS },
    table:
      /^teamwork-shop {2}running {2}wave 1\nWORKER +ROLE +STATUS +TASK +DONE +UNREAD +LAST HEARD\nw1 +- +working +1 /,
  },
  {
    command: "swarm merge",
    args: ["--wave", "1", "--target", "main", ...REPOSITORY],
    data: {
      branch: "refs/heads/teamwork/shop/main/integration",
      target: "main",
      gate: { status: "skipped", issues: [] },
      outcomes: [{ task_id: "3", attempt: 1, worker: "w2", kind: "merged", commit: COMMIT, notices: [], also_for: [] }],
      fixes: [],
      left: [],
      pending: ["1", "4"],
    },
    fields: ["before", "after", "flaky", "mended"],
    table:
      /^TASK +OUTCOME +DETAIL\n3 +merged +[0-9a-f]{10}\nteamwork\/shop\/main\/integration is now at [0-9a-f]{10}\nNothing was tested: there is no command for it; .*\nNot resolved yet: 1, 4/,
  },
  {
    command: "swarm merge",
    args: REPOSITORY,
    before: [MERGED],
    data: { outcomes: [{ task_id: "3", kind: "contained" }], gate: null, pending: ["1", "2", "4"] },
    table: /^TASK .*\n3 +contained +it is merged already\nteamwork\/shop\/main\/integration stays at [0-9a-f]{10}\n/,
  },
  {
    command: "deliver",
    args: REPOSITORY,
    before: READY_TO_DELIVER,
    data: { target: "main", from: COMMIT, to: COMMIT, is_moved: true, took_target_in: false, pushed: null, mended: [] },
    table: /^main moved from [0-9a-f]{10} to [0-9a-f]{10}; take it back with: teamwork undo\n$/,
  },
  {
    command: "deliver",
    args: ["--partial", ...REPOSITORY],
    before: [MERGED, ["evidence", "add", "3", "--add-evidence", "the page opens"]],
    data: {
      ...{ target: "main", is_moved: true },
      left_out: [
        { task: "1", why: "in_progress" },
        { task: "2", why: "open, needs 1" },
        { task: "4", why: "open" },
      ],
    },
    table:
      /^main moved from .*\nDelivered without: 1 \(in_progress\), 2 \(open, needs 1\), 4 \(open\)\nTo go on with the rest, see: /,
  },
  {
    command: "deliver",
    args: ["--push", ...REPOSITORY],
    before: [...READY_TO_DELIVER, ["deliver", ...REPOSITORY]],
    data: { is_moved: false, pushed: { remote: "origin", branch: "main" } },
    table: /^main has everything already, at [0-9a-f]{10}\nPushed main to origin\n$/,
  },
  {
    command: "deliver",
    args: ["--pr", ...REPOSITORY],
    before: READY_TO_DELIVER,
    data: {
      is_moved: false,
      pull_request: {
        remote: "origin",
        branch: "teamwork/shop/main/integration",
        url: null,
        next: "ask at origin for the merge of teamwork/shop/main/integration into main",
      },
    },
    table: /^Pushed teamwork\/shop\/main\/integration to origin\nTo ask for its merge: ask at origin /,
  },
  {
    command: "undo",
    args: REPOSITORY,
    before: [...READY_TO_DELIVER, ["deliver", ...REPOSITORY]],
    data: { target: "main", from: COMMIT, to: COMMIT },
    table: /^main returned from [0-9a-f]{10} to [0-9a-f]{10}\n$/,
  },
  {
    command: "diff",
    isDocument: true,
    args: ["--id", "3", "--attempt", "1", ...REPOSITORY],
    before: [MERGED],
    data: {
      task_id: "3",
      attempt: 1,
      base: COMMIT,
      head: COMMIT,
      is_pinned: true,
      is_merged: true,
      files: [{ path: "page.html", status: "added", added_lines: 1, deleted_lines: 0, is_binary: false }],
      patch: expect.stringContaining("+<h1>Search</h1>"),
    },
    table: /^Task 3, attempt 1: [0-9a-f]{10}\.\.[0-9a-f]{10}, merged\n page\.html \| 1 \+\n/,
  },
  {
    command: "diff",
    isDocument: true,
    args: ["3", ...REPOSITORY],
    data: { is_pinned: false, is_merged: false },
    table: /^Task 3, attempt 1: .*, still being worked on\n/,
  },
  {
    command: "mailbox send",
    args: ["--from", "w1", "--to", "lead", "--type", "text", "--payload", '{"message":"Need the schema","extra":1}'],
    data: {
      id: UUID,
      from: "w1",
      to: "orchestrator",
      type: "text",
      payload: { message: "Need the schema", extra: 1 },
      timestamp: TIME,
      read: false,
    },
    fields: MESSAGE_FIELDS,
    table: /^Sent to orchestrator\n$/,
  },
  {
    command: "mailbox send",
    args: ["--from", "orchestrator", "--to", "all", "--message", "Lunch"],
    data: [
      { to: "w1", payload: { message: "Lunch" } },
      { to: "w2", payload: { message: "Lunch" } },
    ],
    fields: MESSAGE_FIELDS,
    table: /^Sent to w1, w2\n$/,
  },
  {
    command: "mailbox read",
    args: ["--inbox", "w1", "--unread-only", "--type", "text", "--mark-read", "--limit", "5"],
    data: [{ from: "orchestrator", to: "w1", payload: { message: "Hello" } }],
    fields: MESSAGE_FIELDS,
    table: /^ +WHEN +FROM +TO +TYPE +MESSAGE\n.* orchestrator +w1 +text +Hello\n$/,
  },
  {
    command: "mailbox poll",
    args: ["--inbox", "w1", "--timeout", "20", "--type", "text", "--mark-read"],
    data: [{ to: "w1", payload: { message: "Hello" } }],
    fields: MESSAGE_FIELDS,
    table: /Hello\n$/,
  },
  {
    command: "pause",
    args: ["--reason", "lunch"],
    data: { paused: true, what: "project shop/main" },
    table: /^Paused project shop\/main\n$/,
  },
  {
    command: "pause",
    args: ["--task", "4"],
    data: { paused: true, what: "task 4" },
    table: /^Paused task 4\n$/,
  },
  {
    command: "pause",
    args: ["--worker-id", "w2"],
    data: { paused: true, what: "worker w2" },
    table: /^Paused worker w2\n$/,
  },
  {
    command: "resume",
    args: ["--task", "4", "--reason", "back again"],
    before: [["pause", "--task", "4"]],
    data: { paused: false, what: "task 4" },
    table: /^Continued task 4\n$/,
  },
  {
    command: "resume",
    args: ["--worker-id", "w2"],
    before: [["pause", "--worker-id", "w2"]],
    data: { paused: false, what: "worker w2" },
    table: /^Continued worker w2\n$/,
  },
  {
    command: "join",
    args: ["--role", "docs", "--worker-id", "w7", "--loop", "--take-over", "--terminal-id", "t1"],
    before: [["join", "--worker-id", "w7", "--terminal-id", "t0"]],
    data: {
      project: "shop",
      team: "main",
      part: "worker",
      worker: "w7",
      role: "docs",
      loop: true,
      delegation: "lead",
      terminal_id: "t1",
    },
    table: /^You are worker w7 of shop\/main as docs, in a loop\n$/,
  },
  {
    command: "join",
    args: ["--lead", "--delegation", "strict", "--terminal-id", "t1"],
    data: {
      project: "shop",
      team: "main",
      part: "lead",
      worker: null,
      role: null,
      loop: false,
      delegation: "strict",
      joined_at: TIME,
    },
    table: /^You are the lead of shop\/main; all work on the project is left to workers\n$/,
  },
  {
    command: "leave",
    args: ["--terminal-id", "t1", "--reason", "lunch"],
    before: [["join", "--worker-id", "w1", "--terminal-id", "t1"]],
    data: { worker: "w1", released: ["1"] },
    table: /^Left shop\/main; gave back 1\n$/,
  },
  {
    command: "loop-state",
    args: ["--start", "--project", "shop", "--team", "main", "--role", "docs", "--terminal-id", "t1"],
    data: { active: true, project: "shop", team: "main", role: "docs", started_at: TIME, terminal_id: "t1" },
    fields: LOOP_FIELDS,
    table: /^Loop of t1: shop\/main as docs, since /,
  },
  {
    command: "loop-state",
    args: ["--get", "--terminal-id", "t1"],
    before: [["loop-state", "--start", "--terminal-id", "t1"]],
    data: { active: true, role: null, terminal_id: "t1" },
    fields: LOOP_FIELDS,
    table: /^Loop of t1: shop\/main, since /,
  },
  {
    command: "loop-state",
    args: ["--clear", "--terminal-id", "t1"],
    before: [["loop-state", "--start", "--terminal-id", "t1"]],
    data: { active: false, cleared: true },
    table: /^No loop is active in this terminal\n$/,
  },
]

const OTHER_CASES: Case[] = [
  {
    command: "events tail",
    args: ["--limit", "2", "--type", "task.claimed", "--after", "0"],
    data: {
      events: [
        { type: "task.claimed", by: "w1", timestamp: TIME, data: { task: "1", token: 1 } },
        { type: "task.claimed", by: "w2" },
      ],
      cursor: expect.any(String),
    },
    table: /^\S+ \S+ {2}w1 {2}task\.claimed {2}task=1 token=1\n/,
  },
  {
    command: "events tail",
    args: ["--task", "1", "--limit", "2", "--after", "0"],
    data: {
      events: [
        { type: "task.created", data: { task: "1" } },
        { type: "task.claimed", by: "w1", data: { task: "1", token: 1 } },
      ],
      cursor: expect.any(String),
    },
    table: /^\S+ \S+ {2}person {2}task\.created {2}task=1 /,
  },
  {
    command: "report",
    args: [],
    isDocument: true,
    data: {
      ...{ project: "shop", team: "main", outcome: "running", done: 1, total: 4, started_at: TIME, ended_at: null },
      tasks: [
        { id: "1", mark: "BUSY", worker: "w1", role: "backend", agents: [] },
        { mark: "OPEN" },
        { mark: "DONE", worker: "w2" },
        { id: "4" },
      ],
      workers: [
        { id: "w1", done: 0, agents: [] },
        { id: "w2", done: 1, crashes: 0, setbacks: 0 },
      ],
      ...{ runs: [], template: null, notes: [], left: [], findings: [], cost: { total: { runs: 0 } } },
    },
    fields: ["goal", "duration_ms", "idle_share", "results", "cascade", "critical_path"],
    table:
      /^TEAM REPORT {2}shop\/main\nGoal +Search page\nOutcome +running, phase EXECUTION\n(.*\n)*\[DONE\] {2}3 Page +w2 /,
  },
  {
    command: "watch",
    args: ["--steps"],
    before: [
      ["task", "update", "1", "--status", "resolved"],
      ["task", "claim", "4", "--owner", "w1"],
      ["task", "update", "4", "--status", "resolved"],
      ["wave", "update", "1", "--status", "verified"],
      ["task", "claim", "2", "--owner", "w1"],
      ["task", "update", "2", "--status", "resolved"],
      ["wave", "update", "2", "--status", "verified"],
      ["verdict", "record", "--scope", "final", "--status", "passed"],
    ],
    isDocument: true,
    data: { end: "done", phase: "COMPLETE", status: "completed", done: 4, total: 4 },
    fields: ["project", "team"],
    table:
      /^\[[\d:]+\] shop\/main: COMPLETE, 4\/4 tasks done\nshop\/main is done, 4\/4 tasks done; see: teamwork report\n$/,
  },
  {
    command: "whiteboard",
    args: [],
    isDocument: true,
    data: { markdown: expect.stringContaining("## In progress\n\n- **1** Schema: w1, since ") },
    table: /^# shop\/main\n\nSearch page\n/,
  },
  {
    command: "doctor",
    args: ["--fix"],
    data: {
      healthy: true,
      findings: expect.arrayContaining([expect.objectContaining({ check: "git", status: "ok" })]),
    },
    table: /^ok {6}git: git \d+\.\d+\n(.*\n)*ok {6}shop\/main: claims: no claim is overdue\n/m,
  },
  {
    command: "config list",
    args: [],
    data: expect.arrayContaining([{ key: "team.maxAgents", value: 5, origin: "default", where: "built in" }]),
    fields: ["key", "value", "origin", "where"],
    table: /^KEY +VALUE +FROM\n(.*\n)*team\.maxAgents +5 +default\n/,
  },
  {
    command: "config get",
    args: ["--key", "team.maxAgents"],
    data: { key: "team.maxAgents", value: 5, origin: "default" },
    table: /^5\n$/,
  },
  {
    command: "config set",
    args: ["--key", "team.maxAgents", "--value", "3"],
    data: { changed: true, file: expect.stringMatching(/config\.json$/) },
    table: /^Set team\.maxAgents in .*config\.json\n$/,
  },
  {
    command: "config set",
    args: ["team.maxAgents", "3", "--repository"],
    data: { changed: true, file: expect.stringMatching(/shop\/teamwork\.json$/) },
    table: /^Set team\.maxAgents in .*shop\/teamwork\.json\n$/,
  },
  {
    command: "config unset",
    args: ["--key", "team.maxAgents", "--repository"],
    before: [["config", "set", "team.maxAgents", "3", "--repository"]],
    data: { changed: true },
    table: /^Removed team\.maxAgents from /,
  },
  {
    command: "plan",
    args: ["plan.yml"],
    prepare: preparePlan,
    data: {
      ...{ goal: "Search page", schedule: "waves", mode: "FULL_AUTO", workers: "auto", total_waves: 2, applied: null },
      tasks: [
        {
          ...{ id: "5", title: "Index", wave: 1, role: "worker", agent_type: "worker", complexity: "standard" },
          ...{ agent: "script", tier: null, model: null, effort: null, because: "it has commands to run", needs: [] },
          ...{ files: ["index/**"], checks: ["test -d index"], acceptance: [] },
        },
        { id: "6", agent: null, tier: "sonnet", effort: "high", wave: 2, needs: ["5"], acceptance: ["It finds items"] },
      ],
      ...{ shared: [{ file: "package.json", tasks: ["6"] }], notes: [] },
      boundary: [{ file: "index/names.txt", owner: "5", used_by: ["6"] }],
    },
    table:
      /^TEAM DECOMPOSITION\nGoal +Search page\n(.*\n)*Wave 2\n {2}6 {2}Search\n +route +worker as executor, no agent(.*\n)*Boundary files\n {2}index\/names\.txt: owned by 5, used by 6\n\nNothing was created; apply it with: teamwork plan plan\.yml --yes\n$/,
  },
  {
    command: "plan",
    args: ["--what", "plan.yml", "--yes", "--add", "--on-overlap", "serialise", "--budget", "2usd,300k"],
    prepare: preparePlan,
    data: {
      applied: {
        ...{ created: ["5", "6"], updated: [], unchanged: [], others: ["1", "2", "3", "4"], total_waves: 2 },
        team: { project: "shop", team: "main", goal: "Search page", phase: "EXECUTION" },
      },
    },
    table:
      /\nBudget +\$2\.00 and 300,000 tokens\n[\s\S]*\n\nProject shop\/main: tasks 2 created, 4 not in the plan; 2 waves\n$/,
  },
  {
    command: "plan",
    args: ["plan.yml", "--yes", "--new"],
    prepare: preparePlan,
    before: [["task", "release", "1", "--owner", "w1"]],
    data: { applied: { created: ["5", "6"], others: [], closed: 1, team: { run: 2 } } },
    table: /\n\nProject shop\/main, new run 2: tasks 2 created; 2 waves\n$/,
  },
  {
    command: "runs",
    args: [],
    data: [{ project: "shop", team: "main", run: 1, is_current: true, goal: "Search page", done: 1, total: 4 }],
    fields: ["outcome", "started_at", "ended_at", "duration_ms", "cost", "delivered"],
    table:
      /^RUN +OUTCOME +STARTED +TOOK +DONE +COST +DELIVERED +GOAL\n +>1 +running +\S+ \S+ +\S.* +1\/4 +- +- +Search page\n$/,
  },
  {
    command: "plan",
    args: ["Look at the search", "--template", "audit-team", "--dry-run"],
    data: {
      ...{ goal: "Look at the search", workers: "3", template: "audit-team", total_waves: 1, applied: null },
      tasks: [
        { id: "security-reviewer", tier: "sonnet" },
        { id: "quality-reviewer", tier: "sonnet" },
        { id: "code-reviewer", tier: "opus" },
      ],
    },
    table:
      /\nTeam +audit-team, FULL_AUTO, schedule waves, workers 3\nTasks +3 in 1 wave\n(.*\n)*Nothing was created; apply it with/,
  },
  {
    command: "route",
    args: ["Refactor the auth module and build a new login UI"],
    data: {
      domain: "ambiguous",
      score: 6,
      tier: "sonnet",
      complexity: "standard",
      agent: null,
      agent_type: "executor",
      model: null,
      price: null,
      effort: "high",
      passed_over: expect.arrayContaining([
        { agent: "claude", because: "it is not available: claude is not installed" },
      ]),
      retry_at: null,
    },
    table:
      /^Domain +ambiguous\nComplexity +6, standard\nAgent +none as executor\nModel +sonnet\nEffort +high\n\nclaude was passed over: it is not available: claude is not installed\n/,
  },
  {
    command: "route",
    args: [
      ...["Find out how it works", "--agent", "codex", "--role", "explorer", "--complexity", "complex"],
      ...["--tier", "sonnet", "--context-tokens", "1000"],
    ],
    data: {
      ...{ tier: "sonnet", agent: "codex", agent_type: "explorer", model: "gpt-5.5", effort: "medium" },
      price: { input: 5, cached: 0.5, output: 30, as_of: "2026-06-04" },
      passed_over: [],
    },
    table:
      /\nAgent +codex as explorer\nModel +sonnet: gpt-5\.5, \$5 in, \$0\.5 cached, \$30 out per million tokens \(2026-06-04\)\nEffort +medium\n$/,
  },
  {
    command: "route",
    args: ["--text", "Build a responsive profile page with avatar, bio and edit form", "--explain"],
    data: {
      domain: "frontend",
      score: 3,
      tier: "sonnet",
      complexity: "standard",
      agent: null,
      agent_type: "designer",
      agents: expect.arrayContaining([
        {
          ...{ name: "gemini", is_available: false, why: "gemini is not installed", is_logged_in: null },
          ...{ rate_limited_until: null, left_out: null, model: "gemini-2.5-flash" },
          price: { input: 0.3, cached: 0.03, output: 2.5, as_of: "2026-06-04" },
        },
      ]),
      signals: {
        backend: [],
        frontend: [
          { family: "responsive", word: "responsive" },
          { family: "page", word: "page" },
          { family: "avatar", word: "avatar" },
          { family: "form", word: "form" },
        ],
      },
      points: [{ what: "subtasks", points: 3, because: "4 parts" }],
      because: expect.arrayContaining([
        "frontend: 0 backend against 4 frontend signals",
        "gemini was passed over: it is not available: gemini is not installed",
        "no agent can take it now",
        "sonnet: no words show that it is simple or complex, and team.defaultModel is sonnet",
      ]),
    },
    table:
      /\nSignals\n {2}frontend {2}responsive \(responsive\)\n(.*\n)*\nPoints\n {2}\+3 {2}subtasks: 4 parts\n\nAgents\n {2}claude +not available: .*\n(.*\n)*\nBecause\n(.*\n)* {2}sonnet: no words show that it is simple or complex, and team\.defaultModel is sonnet\n$/,
  },
  {
    command: "route",
    args: ["Fix the typo", "--explain"],
    data: { domain: "ambiguous", score: 0, tier: "haiku", signals: { backend: [], frontend: [] }, points: [] },
    table: /\nSignals\n {2}none\n\nPoints\n {2}none\n\nAgents\n(.*\n)*\nBecause\n {2}no word names a domain\n/,
  },
  {
    command: "role list",
    args: [],
    data: expect.arrayContaining([
      expect.objectContaining({ name: "wave-verifier", kind: "verification", model: "sonnet", source: "built-in" }),
      expect.objectContaining({ name: "coordinator", deprecated_for: "orchestrator" }),
    ]),
    fields: [
      "name",
      "kind",
      "responsibility",
      "effort",
      "model",
      "expertise",
      "writes",
      "tools",
      "source",
      "file",
      "extends",
    ],
    table: /^NAME +KIND +MODEL +EFFORT +WRITES +FROM\nfrontend +implementation +dynamic +high +yes +built-in\n/,
  },
  {
    command: "role show",
    args: ["--name", "explorer"],
    data: {
      name: "explorer",
      kind: "exploration",
      responsibility: "exploration",
      effort: "medium",
      model: "dynamic",
      writes: false,
      tools: [],
      source: "built-in",
      file: null,
      extends: null,
      instructions: expect.stringContaining("Change nothing."),
    },
    table:
      /^Role +explorer\nFrom +built-in\nKind +exploration, responsible for exploration\nModel +dynamic\nEffort +medium\nWrites +no\n/,
  },
  {
    command: "role show",
    args: ["coordinator"],
    data: { name: "coordinator", model: "opus", deprecated_for: "orchestrator" },
    table: /^Role +coordinator\nFrom +built-in; deprecated, use orchestrator\n/,
  },
  {
    command: "prompt",
    args: ["2"],
    isDocument: true,
    data: {
      prompt: expect.stringMatching(
        /^# TASK\n\nTask 2: Endpoint\n\n# FILE SCOPE\n[\s\S]*\n# INSTRUCTIONS\n[\s\S]*\n# CONTEXT\n/,
      ),
      sections: expect.arrayContaining([{ name: "task", characters: 24, trimmed: 0 }]),
      limit: 80_000, // no agent is installed, and then it is for the one that takes everything
      over_by: 0,
      agent: "claude",
      role: "backend",
      model: "sonnet",
      effort: "high",
    },
    table: /^# TASK\n\nTask 2: Endpoint\n/,
  },
  {
    command: "prompt",
    args: ["--id", "1", "--worker", "w1", "--agent", "claude", "--role", "executor"],
    isDocument: true,
    data: {
      prompt: expect.stringContaining("\n```text\nHello\n```"),
      limit: 80_000,
      agent: "claude",
      role: "executor",
    },
    table: /^# PROTOCOL\n\nYou are worker w1 of the team shop\/main\./,
  },
  {
    command: "export",
    args: ["--to", "team", "--force"],
    data: { project: "shop", team: "main", folder: expect.stringMatching(/team$/), removed: 0, edited: [] },
    table: /^\/.*\/team: \d+ written, 0 unchanged\n$/,
  },
  {
    command: "import",
    args: ["team", "--as", "shop/copy"],
    before: [["export", "--to", "team"]],
    data: {
      teams: [{ project: "shop", team: "copy", layout: "export", result: "imported" }],
      skipped: [],
      refused: [],
    },
    table: /^Imported shop\/copy from \/.*\/team \(export\): 4 tasks \(1 resolved\), 1 evidence, /,
  },
  {
    command: "import",
    args: ["--path", "team", "--as", "shop/copy", "--dry-run"],
    before: [["export", "--to", "team"]],
    data: { dry_run: true, teams: [{ project: "shop", team: "copy", result: "imported", counts: { tasks: 4 } }] },
    table: /^Would import shop\/copy from /,
  },
  {
    command: "config path",
    args: [],
    data: { home: expect.stringMatching(/config\.json$/), repository: expect.stringMatching(/shop\/teamwork\.json$/) },
    table: /^home {8}\/.*config\.json\nrepository {2}\/.*teamwork\.json\n$/,
  },
  {
    command: "config schema",
    args: [],
    isDocument: true,
    data: { type: "object", properties: { store: { type: "string" } } },
    table: /^\{\n {2}"\$schema"/,
  },
  {
    command: "init",
    args: ["--for", "codex,gemini", "--yes"],
    data: { is_written: true },
    fields: ["root", "files", "is_written"],
    inner: { of: "files", fields: ["path", "change", "diff"] },
    table: /^created \.codex\/config\.toml\ncreated AGENTS\.md\ncreated \.gemini\/settings\.json\n/,
  },
  {
    command: "init",
    before: [["init", "codex", "--yes"]],
    args: ["--remove", "--dry-run"],
    data: { is_written: false, files: [{ path: ".codex/config.toml", change: "removed" }, { path: "AGENTS.md" }] },
    table: /^--- a\/\.codex\/config\.toml\n\+\+\+ \/dev\/null\n@@ /,
  },
  {
    command: "plugin install",
    args: ["--dry-run", "--scope", "project"],
    data: {
      scope: "project",
      dry_run: true,
      commands: [expect.stringContaining("marketplace add --scope project"), expect.any(String)],
    },
    table: /^claude plugin marketplace add .*\nclaude plugin install --scope project -- teamwork@teamwork\n$/,
  },
  {
    command: "plugin remove",
    args: ["--dry-run", "--scope", "user"],
    data: { scope: "user", dry_run: true, commands: [expect.any(String), expect.any(String)] },
    table: /^claude plugin uninstall --scope user -- teamwork@teamwork\n/,
  },
  {
    command: "plugin path",
    isDocument: true,
    args: [],
    data: { folder: expect.stringMatching(/\/plugin$/) },
    table: /\/plugin\n$/,
  },
  {
    command: "completion",
    args: ["--shell", "bash"],
    isDocument: true,
    data: { script: expect.stringContaining("complete -o default -F _teamwork teamwork") },
    table: /^_teamwork\(\) \{\n/,
  },
]

const JOB_FIELDS = ["job_id", "agent", "status", "output"] // R179

const AGENT_CASES: Case[] = [
  {
    command: "agent list",
    args: [],
    data: [
      { name: "claude" },
      { name: "codex" },
      { name: "gemini" },
      { name: "opencode" },
      { name: "acp" },
      { name: "script", is_available: true, version: "1.0", is_logged_in: true, capabilities: { resume: false } },
    ],
    fields: ["name", "is_available", "rate_limited_until", "models"],
    table:
      /^AGENT +VERSION +LOGIN +ABILITIES\nclaude .*\ncodex .*\ngemini .*\nopencode .*\nacp .*\nscript +1\.0 +yes +-\n\nAGENT +REACHED BY\nclaude +install it with: npm .*\n(.*\n)*\nAGENT +TIER +MODEL +INPUT +CACHED +OUTPUT +AS OF\nclaude +haiku +haiku +1 +0\.1 +5 +2026-06-04\n(.*\n)*\nPrices in dollars per million tokens\.\n$/,
  },
  {
    command: "agent reset",
    args: ["--agent", "codex"],
    data: { agent: "codex", left_out: null, rate_limited_until: null },
    fields: ["agent", "left_out", "rate_limited_until"],
    table: /^codex is neither left out nor rate-limited; nothing was changed\n$/,
  },
  {
    command: "agent exec",
    args: [
      ...["--agent", "script", "--prompt", "pwd", "--working-directory", "..", "--model", "m", "--tier", "haiku"],
      ...["--effort", "low", "--permission", "ask", "--timeout", "60", "--wait"],
    ],
    data: { agent: "script", status: "completed", reason: "done", job_id: UUID, is_output_cut: false },
    fields: JOB_FIELDS,
    table: /^Job [0-9a-f-]{36} of script: completed\n\/.*\n$/,
  },
  {
    command: "agent exec",
    args: ["echo hi", "--agent", "script", "--wait"],
    data: { output: "hi", created_at: TIME, finished_at: TIME, folder: expect.stringMatching(/\/jobs\//) },
    fields: JOB_FIELDS,
    table: /^Job .*: completed\nhi\n$/,
  },
  {
    command: "agent status",
    args: ["--job-id", "job-1"],
    data: { job_id: "job-1", agent: "codex", status: "completed", output: "hi", usage: { input_tokens: 7 } },
    fields: JOB_FIELDS,
    table: /^Job job-1 of codex: completed, 7 tokens in, 2 out, cost unknown\nhi\n$/,
  },
  {
    command: "agent cancel",
    args: ["--job-id", "job-1"],
    data: { job_id: "job-1", status: "completed", output: "hi" },
    fields: JOB_FIELDS,
    table: /^Job job-1 of codex: completed, 7 tokens in, 2 out, cost unknown\nhi\n$/,
  },
  {
    command: "agent jobs",
    args: [],
    data: [{ job_id: "job-1", agent: "codex", status: "completed", reason: "done", prompt: "Say hi" }],
    table: /^JOB +AGENT +STATUS +REASON +PROMPT\njob-1 +codex +completed +done +Say hi\n$/,
  },
  {
    command: "mcp",
    args: ["--as", "w1", "--no-commands", "--list"],
    data: expect.arrayContaining([
      {
        name: "task_heartbeat",
        description: "Renew a claim; fails when the task is no longer yours",
        arguments: ["id", "token"],
        required: ["id"],
      },
    ]),
    table: /^TOOL +WHAT IT DOES\nteam_status +Show how far a project is\n/,
  },
  {
    command: "mcp",
    args: ["--as", "w1", "--no-claims", "--list"],
    data: expect.not.arrayContaining([expect.objectContaining({ name: "task_claim" })]),
    table: /^TOOL +WHAT IT DOES\n(?![\s\S]*task_claim)/,
  },
  {
    command: "trust",
    prepare: prepareRepository,
    args: ["--yes"],
    data: { agreed: true },
    fields: ["repository", "programs"],
    table: /Agreed\.\n$/,
  },
  {
    command: "trust",
    prepare: prepareRepository,
    before: [
      ["config", "set", "--repository", "gates.test", "true"],
      ["trust", "--yes"],
    ],
    args: ["--list"],
    data: [{ programs: ["setting gates.test: true (teamwork.json)"] }],
    fields: ["repository", "at"],
    table: /^\S+\.git, \S+Z\n {2}setting gates\.test: true \(teamwork\.json\)\n$/,
  },
  {
    command: "trust",
    prepare: prepareRepository,
    args: ["--remove"],
    data: { removed: false },
    fields: ["repository"],
    table: /^There was nothing to take back\n$/,
  },
  {
    command: "gc",
    args: [],
    data: {
      ...{ dry_run: false, removed: [{ job_id: "job-1", agent: "codex", finished_at: TIME }] },
      ...{ runs: { count: 0, bytes: 0 }, logs: { count: 0, bytes: 0 }, gate_results: { count: 0, bytes: 0 } },
    },
    fields: ["bytes"],
    table: /^Removed job job-1 of codex, finished 2020-\S+\nRemoved 1 job, 0\.0 MB\n$/,
  },
  {
    command: "gc",
    args: ["--dry-run"],
    data: { dry_run: true, removed: [{ job_id: "job-1" }] },
    table: /^Would remove job job-1 of codex, finished 2020-\S+\nWould remove 1 job, 0\.0 MB\n$/,
  },
]

const JUDGED_FIELDS = [...VERDICT_FIELDS, "commit", "tree"]
const resolved = (id: string): readonly (readonly string[])[] => [
  ["task", "claim", "--id", id, "--owner", "w1"],
  ["task", "update", "--id", id, "--owner", "w1", "--status", "resolved"],
]
const proven = (id: string): readonly (readonly string[])[] => [
  ["evidence", "add", "--id", id, "--add-evidence", "seen"],
  ["evidence", "run", "--id", id, "--", "true"],
]
const FINISHED = [
  ...[...resolved("1"), ...resolved("4"), ["wave", "update", "--wave", "1", "--status", "verified"]],
  ...[...resolved("2"), ["wave", "update", "--wave", "2", "--status", "verified"]],
  ...["1", "2", "3", "4"].flatMap(proven),
]

const VERIFY_CASES: readonly Case[] = [
  {
    command: "verify task",
    prepare: prepareCheckout,
    args: [...["--id", "1", "--owner", "w1", "--token", "1"], ...["--commit", "HEAD", "--base", "HEAD~1", "--again"]],
    data: { scope: "task", subject: "1", status: "passed", issues: [], by: "gate", timestamp: TIME },
    fields: JUDGED_FIELDS,
    table:
      /^Verdict on task 1: passed at [0-9a-f]{12}\nCHECK +STATUS +TIME +WHAT\nwork_committed +passed\nchanges_present +passed +1 file changed since [0-9a-f]{12}\n/,
  },
  {
    command: "verify wave",
    prepare: prepareCheckout,
    before: [...resolved("1"), ...resolved("4")],
    args: ["--wave", "1", "--commit", "HEAD", "--again"],
    data: { scope: "wave", subject: "1", status: "passed", issues: [], by: "gate", timestamp: TIME },
    fields: JUDGED_FIELDS,
    table: /^Verdict on wave 1: passed at [0-9a-f]{12}\nCHECK .*\nall_tasks_resolved +passed +3 tasks\n/,
  },
  {
    command: "verify final",
    prepare: prepareCheckout,
    before: FINISHED,
    args: ["--commit", "HEAD", "--base", "HEAD~1", "--again"],
    data: { scope: "final", subject: null, status: "passed", issues: [], by: "gate", timestamp: TIME },
    fields: JUDGED_FIELDS,
    table: /^Verdict on final: passed at [0-9a-f]{12}\n[\s\S]*evidence_complete +passed +4 tasks\n/,
  },
  {
    command: "preflight",
    args: ["--commit", "HEAD", "--target", "main", "--again", "--trust", "--source-dir", "../home/repository"],
    data: { gates: [{ kind: "build", state: "absent" }, { kind: "lint" }, { kind: "test" }] },
    fields: ["commit", "tree", "gates", "setup"],
    table: /^Preflight of [0-9a-f]{12}\nGATE +STATE +TIME +COMMAND\nbuild +absent +-\n[\s\S]*name a command: /,
  },
  {
    command: "verify review",
    before: [["swarm", "merge", "--source-dir", "../home/repository"]],
    args: ["--source-dir", "../home/repository"],
    data: { scope: "cross-agent", subject: null, status: "skipped", by: "reviewer", fixes: [], timestamp: TIME },
    fields: JUDGED_FIELDS,
    table:
      /^Verdict on cross-agent: skipped at [0-9a-f]{12}\nCHECK .*\nreview +skipped +no agent is known to have worked on it\n/,
  },
  {
    command: "project verify",
    prepare: prepareCheckout,
    before: [...resolved("1"), ...resolved("4")],
    args: ["--commit", "HEAD", "--base", "HEAD~1", "--again"],
    data: { scope: "wave", subject: "1", status: "passed" },
    fields: JUDGED_FIELDS,
    table: /^Verdict on wave 1: passed at [0-9a-f]{12}\n/,
  },
]

const JUDGEMENT_FIELDS = ["path", "allowed", "reason", "owner", "pattern", "message"]
const APPROVAL_FIELDS = [
  ...["number", "scope", "subject", "task_id", "attempt", "question", "status"],
  ...["asked_by", "asked_at", "decided_by", "decided_at", "reason"],
]

const EXCEPTION_FIELDS = [
  ...["number", "task_id", "attempt", "pattern", "reason", "asked_by", "asked_at"],
  ...["status", "decided_by", "decided_at", "decision"],
]
const OWNS = ["task", "update", "--id", "1", "--files", "src/**"]
const ASKS = ["ownership", "ask", "1", "--owner", "w1", "--path", "docs/a.md", "--reason", "it tells of it"]

/** A worker's branch with a change inside and one outside of the files of task 1. */
function prepareBranch({ cwd }: Bench): void {
  const write = (path: string) => {
    mkdirSync(join(cwd, path, ".."), { recursive: true })
    writeFileSync(join(cwd, path), `${path}\n`)
  }
  git(cwd, "init", "--quiet", "--initial-branch=main")
  git(cwd, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "--quiet", "--allow-empty", "-m", "Start")
  git(cwd, "checkout", "--quiet", "-b", "teamwork/shop/main/w1")
  for (const path of ["src/a.ts", "docs/a.md"]) write(path)
}

const OWNERSHIP_CASES: Case[] = [
  {
    command: "ownership check",
    before: [OWNS],
    args: ["--task", "1", "--paths", "src/a.ts", "--paths", "./src/b.ts"],
    data: {
      task: "1",
      paths: [
        { path: "src/a.ts", allowed: true, reason: "owned", owner: "1", pattern: "src/**" },
        { path: "src/b.ts", allowed: true },
      ],
      overlaps: [],
    },
    inner: { of: "paths", fields: JUDGEMENT_FIELDS },
    table: /^yes "src\/a\.ts" belongs to task 1 \(src\/\*\*\)\nyes "src\/b\.ts" belongs to task 1 /,
  },
  {
    command: "ownership check",
    args: ["README.md", "package.json"],
    data: { task: null, paths: [{ reason: "free" }, { reason: "shared", allowed: true }] },
    table: /^yes "README\.md" belongs to no task\nyes "package\.json" is a shared file, which the lead may change\n$/,
  },
  {
    command: "ownership check",
    before: [OWNS],
    args: [],
    data: { overlaps: [] },
    table: /^No two tasks that could run at the same time own the same files\.\n$/,
  },
  {
    command: "ownership ask",
    before: [OWNS],
    args: [...["--task", "1", "--owner", "w1", "--token", "1", "--path", "docs/a.md", "--reason", "it tells of it"]],
    data: {
      number: 1,
      task_id: "1",
      attempt: 1,
      pattern: "docs/a.md",
      status: "asked",
      asked_by: "w1",
      asked_at: TIME,
    },
    fields: EXCEPTION_FIELDS,
    table: /^Exception 1 of task 1: docs\/a\.md asked\n$/,
  },
  {
    command: "ownership list",
    before: [OWNS, ASKS],
    args: ["--task", "1", "--status", "asked"],
    data: [{ number: 1, pattern: "docs/a.md", decided_by: null, decided_at: null, decision: null }],
    fields: EXCEPTION_FIELDS,
    table: /^TASK +NO +STATUS +FILES +BY +WHEN +REASON\n1 +1 +asked +docs\/a\.md +w1 .* it tells of it\n$/,
  },
  {
    command: "ownership grant",
    before: [OWNS, ASKS],
    args: ["--task", "1", "--number", "1", "--by", "orchestrator", "--reason", "fine"],
    data: { status: "granted", decided_by: "orchestrator", decided_at: TIME, decision: "fine" },
    fields: EXCEPTION_FIELDS,
    table: /^Exception 1 of task 1: docs\/a\.md granted\n$/,
  },
  {
    command: "ownership deny",
    before: [OWNS, ASKS],
    args: ["--task", "1", "--number", "1", "--by", "lead", "--reason", "not now"],
    data: { status: "denied", decided_by: "orchestrator", decision: "not now" },
    fields: EXCEPTION_FIELDS,
    table: /^Exception 1 of task 1: docs\/a\.md denied\n$/,
  },
  {
    command: "checkpoint",
    args: ["--name", "team-plan"],
    data: { number: 1, scope: "plan", subject: "team-plan", status: "pending", asked_by: "person", task_id: null },
    fields: APPROVAL_FIELDS,
    table: /^Asked: approval 1 \(team-plan\); decide with: teamwork approve 1\n$/,
  },
  {
    command: "approvals",
    before: [["checkpoint", "understanding"]],
    args: [],
    data: [{ number: 1, subject: "understanding", question: "Goal: Search page", status: "pending" }],
    fields: APPROVAL_FIELDS,
    table:
      /^approval 1 \(understanding\), asked by person at .*\n {4}Goal: Search page\nTo decide: teamwork approve 1, or:/,
  },
  {
    command: "approvals",
    before: [
      ["checkpoint", "understanding"],
      ["approve", "1"],
    ],
    args: ["--status", "approved"],
    data: [{ number: 1, status: "approved", decided_by: "person" }],
    table: /Approved by person: approval 1 \(understanding\)/,
  },
  {
    command: "approve",
    before: [["checkpoint", "final"]],
    args: ["--number", "1", "--owner", "ann", "--note", "well done"],
    data: { number: 1, status: "approved", decided_by: "ann", decided_at: TIME, reason: "well done" },
    fields: APPROVAL_FIELDS,
    table: /^Approved by ann: approval 1 \(final\): well done\n$/,
  },
  {
    command: "reject",
    before: [["checkpoint", "draft"]],
    args: ["--number", "1", "--owner", "ann", "--reason", "another way"],
    data: { number: 1, status: "rejected", decided_by: "ann", reason: "another way" },
    fields: APPROVAL_FIELDS,
    table: /^Rejected by ann: approval 1 \(draft\): another way\n$/,
  },
  {
    command: "task phase",
    before: [
      ["project", "update", "--protocol", "planned", "--qa", "on"],
      ["task", "claim", "--id", "4", "--owner", "w3"],
    ],
    args: ["--id", "4", "--to", "requirement", "--report", "no skill needed", "--owner", "w3", "--token", "1"],
    data: { id: "4", phase: "requirement", qa: "needed" },
    table: /^Task 4 is in requirement\n$/,
  },
  {
    command: "ownership enforce",
    before: [[...OWNS, "--team", "main"]],
    prepare: prepareBranch,
    args: [
      ...["--team", "main", "--task", "1", "--owner", "w1", "--token", "1", "--base", "main", "--message", "My part"],
    ],
    data: {
      base: COMMIT,
      head: COMMIT,
      kept: [{ path: "src/a.ts", change: "added", type: "file", in_scope: true, reason: "owned" }],
      aside: {
        commit: COMMIT,
        ref: "refs/teamwork/shop/main/1/1/aside",
        is_new: true,
        changes: [{ path: "docs/a.md", in_scope: false, reason: "not_owned" }],
      },
    },
    table:
      /^1 file in scope, at [0-9a-f]{12}\nSet aside as refs\/teamwork\/shop\/main\/1\/1\/aside:\n {2}added +"docs\/a\.md" does not belong to task 1, /,
  },
]

const ESCALATION_FIELDS = [
  ...["number", "trigger", "task_id", "attempt", "summary", "context", "options", "status", "raised_by", "raised_at"],
  ...["decision", "agent", "note", "decided_by", "decided_at"],
]
const ESCALATE = ["escalate", "--trigger", "budget", "--task", "1", "--owner", "w1", "--summary", "It costs too much"]

const FINDING_FIELDS = [
  ...["number", "severity", "task_id", "file", "line", "text", "status", "source", "reported_in", "commit", "by"],
  ...["agent", "fix_task", "rounds", "is_retry", "fixed_in", "fixed_by", "waived_by", "reason", "created_at"],
  "updated_at",
]
const FIND = [
  ...["verdict", "record", "--scope", "cross-agent", "--status", "failed", "--by", "ann"],
  ...["--issue", "Critical: src/a.ts:12 logs the key"],
]
const WAIVE = ["findings", "waive", "--number", "1", "--reason", "Only in tests", "--owner", "ann"]

const FINDING_CASES: readonly Case[] = [
  {
    command: "findings",
    args: ["--open", "--severity", "critical"],
    before: [FIND],
    data: [
      {
        ...{ number: 1, severity: "critical", file: "src/a.ts", line: 12, status: "open", source: "person", by: "ann" },
        ...{ text: "src/a.ts:12 logs the key", task_id: null, created_at: TIME, updated_at: TIME },
      },
    ],
    fields: FINDING_FIELDS,
    table:
      /^NO +SEVERITY +STATUS +TASK +PLACE +FINDING\n1 +critical +open +- +src\/a\.ts:12 +src\/a\.ts:12 logs the key\nOpen: 1 critical\n$/,
  },
  {
    command: "findings",
    args: ["--task", "1"],
    before: [
      FIND,
      ["task", "update", "1", "--owner", "w1", "--status", "resolved", "--result", "FINDING low b.ts: odd"],
    ],
    data: [{ number: 2, severity: "minor", file: "b.ts", line: null, source: "task", reported_in: "1", text: "odd" }],
    fields: FINDING_FIELDS,
    table: /\n2 +minor +open +- +b\.ts +odd\nOpen: 1 minor\n$/,
  },
  {
    command: "findings show",
    args: ["--number", "1"],
    before: [FIND],
    data: { number: 1, severity: "critical", status: "open" },
    fields: FINDING_FIELDS,
    table:
      /^finding 1 {2}critical, open\n {2}src\/a\.ts:12 logs the key\n {2}Place: src\/a\.ts:12\n[\s\S]*findings waive 1 --reason/,
  },
  {
    command: "findings waive",
    args: WAIVE.slice(2),
    before: [FIND],
    data: { number: 1, status: "waived", waived_by: "ann", reason: "Only in tests" },
    fields: FINDING_FIELDS,
    table: /^Finding 1 \(critical\) is waived\n$/,
  },
  {
    command: "findings reopen",
    args: ["--number", "1", "--reason", "Not only there"],
    before: [FIND, WAIVE],
    data: { number: 1, status: "open", waived_by: null },
    fields: FINDING_FIELDS,
    table: /^Finding 1 \(critical\) is open\n$/,
  },
]

const ESCALATION_CASES: readonly Case[] = [
  {
    command: "escalate",
    args: ESCALATE.slice(1),
    data: {
      ...{ number: 1, trigger: "budget", task_id: "1", status: "open", raised_by: "w1", raised_at: TIME },
      options: ["retry", "reassign", "skip", "fail", "pause"],
      context: { progress: ["attempt 1, set back 0 times", "evidence: 1"], errors: [], attempts: 1, setbacks: 0 },
    },
    fields: ESCALATION_FIELDS,
    table: /^escalation 1 \(budget, task 1\) {2}open\n {2}It costs too much\n[\s\S]* teamwork decide 1 retry /,
  },
  {
    command: "escalations",
    args: ["--status", "decided"],
    before: [ESCALATE, ["decide", "1", "skip"]],
    data: [{ number: 1, status: "decided", decision: "skip", decided_by: "person", decided_at: TIME }],
    fields: ESCALATION_FIELDS,
    table: /^escalation 1 \(budget, task 1\) {2}decided\n[\s\S]* {2}Decided by person: skip\n$/,
  },
  {
    command: "decide",
    args: ["--number", "1", "--option", "reassign", "--agent", "codex", "--note", "Cheaper", "--owner", "ann"],
    before: [ESCALATE],
    data: {
      ...{ number: 1, status: "decided", decision: "reassign", agent: "codex", note: "Cheaper", decided_by: "ann" },
      outcome: "task 1 is open",
    },
    fields: ESCALATION_FIELDS,
    table: /^Decided escalation 1: reassign; task 1 is open\n$/,
  },
]

const QA_ON = [
  ["project", "update", "--qa", "on"],
  ["task", "claim", "4", "--owner", "w4"],
]
const SUBMITTED = [...QA_ON, ["task", "update", "4", "--add-evidence", "it reads well"], ["qa", "submit", "4"]]
const PLANNED = [...SUBMITTED, ["qa", "plan", "4"]]
const SCORES = [
  "correctness=90: it holds",
  "completeness=80: all there",
  "clarity=85: clear",
  "maintainability=70: long",
]
const SCORED = SCORES.flatMap((score) => ["--score", score])
const REPORTED = [...PLANNED, ["project", "update", "--mode", "SUPERVISED"], ["qa", "record", "4", ...SCORED]]
const QUALITY_FIELDS = [
  ...["number", "task_id", "attempt", "status", "commit", "tree", "submitted_by", "plan", "scores", "total", "result"],
  ...["guidance", "judged_by", "is_by_checks", "answer", "agent", "decided_by", "reason", "submitted_at"],
]

const QA_CASES: Case[] = [
  {
    command: "project create",
    args: ["--team", "dev", "--goal", "Checked", "--protocol", "planned", "--qa"],
    data: { team: "dev", protocol: "planned", has_qa: true },
    table: /^Created project shop\/dev\n$/,
  },
  {
    command: "project update",
    args: ["--qa", "on", "--protocol", "planned"],
    data: { protocol: "planned", has_qa: true },
    table: /^Project shop\/main: /,
  },
  {
    command: "check",
    args: [],
    data: { project: "shop", tasks: [{ id: "1" }, { id: "2" }, { id: "3" }, { id: "4" }] },
    table:
      /Wave 1\n {2}\[>\] 1 Schema \(w1, in progress\)\n {2}\[x\] 3 Page \(resolved\)\n {2}\[ \] 4 Manual\nWave 2\n {2}\[ \] 2 Endpoint \(blocked\) <- 1\n/,
  },
  {
    command: "revise",
    args: ["3", "The empty list must be refused"],
    data: { reopened: ["3"], recheck: [], told: [], task: { id: "3", status: "open", attempt: 2 } },
    table: /^Reopened: 3\n$/,
  },
  {
    command: "revise",
    args: ["--id", "1", "--feedback", "Use the old names"],
    data: { reopened: [], told: ["1"] },
    table: /^Task 1 is in_progress and goes on\nSent to the workers of: 1\n$/,
  },
  {
    command: "feedback",
    args: ["Dates as in the reports"],
    data: { feedback: [{ number: 1, text: "Dates as in the reports", task_id: null }], told: ["w1", "w2"] },
    table: /1 .* all +Dates as in the reports\nSent at once to: w1, w2\n$/,
  },
  {
    command: "feedback",
    args: ["--text", "Shorter", "--task", "4"],
    data: { feedback: [{ task_id: "4" }], told: [] },
    table: /1 .* 4 +Shorter\n$/,
  },
  {
    command: "feedback",
    before: [["feedback", "Shorter"]],
    args: ["--list"],
    data: { feedback: [{ number: 1, text: "Shorter" }], told: [] },
    table: /^ *# +WHEN +TASK +WHAT\n.*Shorter\n$/,
  },
  {
    command: "improve",
    args: [],
    data: { dimension: null, mean: null, tasks: [] },
    table: /^Nothing was scored by QA yet; turn it on with: teamwork project update --qa on\n$/,
  },
  {
    command: "improve",
    before: [...PLANNED, ["qa", "record", "4", ...SCORED]],
    args: ["--dimension", "clarity"],
    data: { dimension: "clarity", mean: 85, tasks: [{ id: "improve-clarity-4", blocked_by: ["4"] }] },
    table: /^Weakest: clarity, 85 of 100\nTask improve-clarity-4 is open: Improve the clarity of task 4: Manual\n$/,
  },
  {
    command: "quality",
    before: PLANNED,
    args: ["--task", "4"],
    data: [{ number: 1, task_id: "4", status: "planned" }],
    fields: QUALITY_FIELDS,
    table: /^ *# +TASK +STATUS +TOTAL +RESULT +BY +SCORES\n *1 +4 +planned/,
  },
  {
    command: "qa submit",
    prepare(bench) {
      prepareRepository(bench)
      writeFileSync(join(bench.cwd, "b.txt"), "b\n")
      git(bench.cwd, "add", "--all")
      git(bench.cwd, "-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "-m", "Work")
    },
    before: QA_ON,
    args: ["--id", "4", "--owner", "w4", "--token", "1", "--commit", "HEAD", "--base", "HEAD~1"],
    data: { number: 1, task_id: "4", status: "submitted", qa: "pending", commit: expect.any(String) },
    fields: [...QUALITY_FIELDS, "qa"],
    table: /^QA 1 \(of task 4\) is submitted; QA of the task is pending\n$/,
  },
  {
    command: "qa plan",
    before: SUBMITTED,
    args: ["--id", "4", "--owner", "tester", "--check", "the index"],
    data: {
      status: "planned",
      qa: "validating",
      approval: { scope: "qa-plan", status: "approved", decided_by: "policy" },
    },
    fields: [...QUALITY_FIELDS, "qa", "approval"],
    table:
      /^QA 1 \(of task 4\) is planned; .*validating\nApproval 1 is approved:\nAs documents: correctness 35 %.*\n(?:- .*\n)+- the index\n$/,
  },
  {
    command: "qa record",
    before: PLANNED,
    args: ["--id", "4", "--owner", "tester", ...SCORED, "--guidance", "Split it"],
    data: { status: "accepted", total: 84, result: "pass", qa: "passed", task_status: "in_progress" },
    fields: [...QUALITY_FIELDS, "qa", "task_status"],
    table: /^QA 1 \(of task 4\) is accepted, 84 of 100 \(pass\); QA of the task is passed\n$/,
  },
  {
    command: "qa accept",
    before: REPORTED,
    args: ["--id", "4", "--owner", "orchestrator", "--note", "well done"],
    data: { status: "accepted", decided_by: "orchestrator", reason: "well done", qa: "passed" },
    table: /^QA 1 \(of task 4\) is accepted, 84 of 100/,
  },
  {
    command: "qa return",
    before: REPORTED,
    args: ["--id", "4", "--owner", "orchestrator", "--reason", "Too long"],
    data: { status: "returned", reason: "Too long", qa: "failed" },
    table: /^QA 1 \(of task 4\) is returned, 84 of 100 .*failed\n- QA failed it, 1 of 3: 84 of 100.*\n- Too long\n$/,
  },
]

const WISDOM_FIELDS = [
  ...["number", "kind", "text", "role", "files", "task_id", "attempt", "count", "by", "created_at", "updated_at"],
]
const EXPLORATION_FIELDS = [
  ...["number", "angle", "summary", "findings", "commit", "files", "uncommitted", "by", "explored_at"],
]
const DISCUSSION_FIELDS = [
  ...["number", "topic", "task_id", "status", "severity", "rounds", "statements", "conclusion"],
  ...["opened_by", "opened_at", "closed_by", "closed_at"],
]
const ARTIFACT_FIELDS = [
  ...["number", "name", "kind", "task_id", "attempt", "worker", "commit", "path", "sha256", "size", "kept_in"],
  ...["by", "created_at"],
]
const SKILL_FIELDS = [
  ...["number", "name", "description", "path", "task_id", "attempt", "status", "is_mandatory", "chosen_by"],
  "approved_by",
]
const LEARNED = ["wisdom", "add", "Ids are text", "--by", "w1"]
const EXPLORED = ["explore", "put", "--angle", "numbers", "--summary", "one and two", "--files", "one.txt"]
const OPENED = ["discuss", "open", "Blue or red", "--by", "w1"]
const SAID = ["discuss", "say", "1", "Blue", "--by", "w1"]
const MADE = ["artifact", "add", "one.txt", "--kind", "data"]
const ID = expect.stringMatching(/^[0-9a-f]{40}$/)

/** A repository with two skills, and one of the user. */
function prepareSkills(bench: Bench): void {
  const write = (root: string, name: string, description: string) => {
    const folder = join(root, ".claude", "skills", name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n---\n`)
  }
  write(bench.cwd, "schema-design", "Designs the schema of a database")
  write(bench.cwd, "styling", "CSS and responsive layout")
  write(bench.home, "manuals", "Writes a manual")
  prepareCheckout(bench)
}

const KNOWLEDGE_CASES: Case[] = [
  {
    command: "wisdom add",
    args: [
      ...["--text", "Ids are text", "--kind", "decision", "--task", "1", "--role", "backend"],
      ...["--files", "src/a.ts,src/b.ts", "--by", "w1"],
    ],
    data: { number: 1, kind: "decision", count: 1, role: "backend", files: ["src/a.ts", "src/b.ts"], task_id: "1" },
    fields: WISDOM_FIELDS,
    table: /^Wisdom 1, decision: Ids are text\n$/,
  },
  {
    command: "wisdom add",
    before: [LEARNED],
    args: ["ids are TEXT!"],
    data: { number: 1, kind: "learning", text: "Ids are text", count: 2 },
    table: /^Wisdom 1, learning, said 2 times: Ids are text\n$/,
  },
  {
    command: "wisdom list",
    before: [LEARNED],
    args: ["--kind", "learning", "--status", "kept"],
    data: [{ number: 1, text: "Ids are text", by: "w1", task_id: null, created_at: TIME }],
    fields: WISDOM_FIELDS,
    table: /^NO +KIND +TIMES +BY +TASK +ROLE +TEXT\n +1 +learning +1 +w1 +- +- +Ids are text\n$/,
  },
  {
    command: "wisdom remove",
    before: [LEARNED],
    args: ["--number", "1", "--by", "w1"],
    data: { number: 1 },
    fields: WISDOM_FIELDS,
    table: /^Removed wisdom 1\n$/,
  },
  {
    command: "explore put",
    prepare: prepareCheckout,
    args: [...["--angle", "numbers", "--summary", "one and two", "--files", "one.txt,two.txt", "--by", "w1"]],
    data: { angle: "numbers", files: [{ path: "one.txt", id: ID }, { path: "two.txt" }], by: "w1", explored_at: TIME },
    fields: EXPLORATION_FIELDS,
    table: /^Kept: numbers \(by w1, .*; read one\.txt, two\.txt\)\none and two\n$/,
  },
  {
    command: "explore get",
    prepare: prepareCheckout,
    before: [EXPLORED],
    args: ["--angle", "Numbers"],
    data: { angle: "numbers", summary: "one and two", findings: null, uncommitted: null, commit: ID },
    fields: EXPLORATION_FIELDS,
    table: /^numbers \(by person, .*; read one\.txt\)\none and two\n$/,
  },
  {
    command: "explore list",
    prepare: prepareCheckout,
    before: [EXPLORED],
    args: [],
    data: [{ angle: "numbers", stale: null }],
    fields: [...EXPLORATION_FIELDS, "stale"],
    table: /^HOLDS +BY +WHEN +ANGLE +FILES +WHY NOT\nyes +person .* numbers +one\.txt +-\n$/,
  },
  {
    command: "explore clear",
    prepare: prepareCheckout,
    before: [EXPLORED],
    args: ["--angle", "numbers", "--by", "w1"],
    data: { cleared: 1 },
    fields: ["cleared"],
    table: /^Cleared 1 exploration\n$/,
  },
  {
    command: "discuss open",
    args: ["--topic", "Blue or red", "--task", "1", "--by", "w1"],
    data: { number: 1, topic: "Blue or red", task_id: "1", status: "open", rounds: 0, statements: [], opened_by: "w1" },
    fields: DISCUSSION_FIELDS,
    table: /^Discussion 1, Blue or red: open, 0 rounds\n$/,
  },
  {
    command: "discuss say",
    before: [OPENED, SAID],
    args: ["--number", "1", "--text", "Red", "--by", "w2"],
    data: {
      ...{ rounds: 1, rounds_without_consensus: 1 },
      statements: [
        { round: 1, by: "w1", text: "Blue", at: TIME },
        { round: 1, by: "w2", text: "Red" },
      ],
    },
    fields: [...DISCUSSION_FIELDS, "rounds_without_consensus"],
    table: /^Discussion 1, Blue or red: open, 1 round\n$/,
  },
  {
    command: "discuss close",
    before: [OPENED, SAID],
    args: [
      ...["--number", "1", "--outcome", "consensus_blocked", "--severity", "low"],
      ...["--conclusion", "Both are fine", "--by", "w1"],
    ],
    data: {
      status: "consensus_blocked",
      severity: "low",
      conclusion: "Both are fine",
      closed_by: "w1",
      closed_at: TIME,
    },
    fields: DISCUSSION_FIELDS,
    table: /^Discussion 1, Blue or red: consensus_blocked \(low\), 1 round\n$/,
  },
  {
    command: "discuss list",
    before: [OPENED],
    args: ["--status", "open"],
    data: [{ number: 1, topic: "Blue or red" }],
    fields: DISCUSSION_FIELDS,
    table: /^NO +STATUS +SEVERITY +ROUNDS +TASK +OPENED +TOPIC\n +1 +open +- +0 +- .* Blue or red\n$/,
  },
  {
    command: "discuss show",
    before: [OPENED, SAID, ["discuss", "say", "1", "Still blue", "--by", "w1"]],
    args: ["--number", "1"],
    data: { rounds: 2, statements: [{ round: 1 }, { round: 2, text: "Still blue" }] },
    fields: DISCUSSION_FIELDS,
    table: /^Discussion 1, Blue or red: open, 2 rounds\n\nRound 1\n {2}w1: Blue\n\nRound 2\n {2}w1: Still blue\n$/,
  },
  {
    command: "artifact add",
    prepare: prepareCheckout,
    args: ["--file", "one.txt", "--kind", "data", "--name", "Numbers", "--task", "1", "--by", "w1"],
    data: { number: 1, name: "Numbers", kind: "data", task_id: "1", attempt: 1, path: "one.txt", size: 4, commit: ID },
    fields: ARTIFACT_FIELDS,
    table: /^Artifact 1, data: Numbers, 4 bytes, one\.txt at [0-9a-f]{12}\n$/,
  },
  {
    command: "artifact add",
    prepare: ({ cwd }) => writeFileSync(join(cwd, "report.md"), "# Report\n"),
    args: ["report.md"],
    data: { number: 1, name: "report.md", kind: "document", kept_in: "document", commit: null, path: null },
    fields: ARTIFACT_FIELDS,
    table: /^Artifact 1, document: report\.md, 9 bytes, in the store\n$/,
  },
  {
    command: "artifact list",
    prepare: prepareCheckout,
    before: [[...MADE, "--task", "1", "--by", "w1"]],
    args: ["--task", "1", "--kind", "data"],
    data: [{ number: 1, kept_in: "commit", worker: "w1", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    fields: ARTIFACT_FIELDS,
    table:
      /^NO +KIND +TASK +WORKER +COMMIT +BYTES +SHA256 +NAME\n +1 +data +1\/1 +w1 +[0-9a-f]{12} +4 +[0-9a-f]{12} +one\.txt\n$/,
  },
  {
    command: "artifact show",
    prepare: prepareCheckout,
    before: [MADE],
    args: ["--number", "1"],
    data: { number: 1, text: "one\n" },
    fields: [...ARTIFACT_FIELDS, "text"],
    table:
      /^Artifact 1, data: .*\n {2}made for {2}no task\n {2}from {6}one\.txt, at commit \w{40}\n(?:.*\n)+\none\n\n$/,
  },
  {
    command: "artifact export",
    prepare: prepareCheckout,
    before: [MADE],
    args: ["--to", "out", "--kind", "data"],
    data: { folder: expect.stringMatching(/\/shop\/out$/), files: ["1-one.txt", "artifacts.json"] },
    fields: ["folder", "files"],
    table: /^Wrote 1 artifact to \/.*\/shop\/out\n$/,
  },
  {
    command: "artifact export",
    args: ["--to", "out", "--task", "1"],
    data: { files: ["artifacts.json"] },
    table: /^Wrote 0 artifacts to /,
  },
  {
    command: "skill list",
    prepare: prepareSkills,
    args: [],
    data: [
      { name: "manuals", origin: "home", path: expect.stringMatching(/^\/.*\/\.claude\/skills\/manuals\/SKILL\.md$/) },
      { name: "schema-design", origin: "repository", path: ".claude/skills/schema-design/SKILL.md" },
      { name: "styling" },
    ],
    fields: ["name", "description", "path", "origin"],
    table: /^NAME +FROM +DESCRIPTION +FILE\nmanuals +home +Writes a manual/,
  },
  {
    command: "skill list",
    prepare: prepareSkills,
    args: ["--for", "frontend"],
    data: [{ name: "styling" }],
    table: /^NAME +FROM +DESCRIPTION +FILE\nstyling +repository/,
  },
  {
    command: "skill list",
    prepare: prepareSkills,
    args: ["--task", "1"],
    data: [{ number: null, name: "schema-design", status: "approved", is_mandatory: false }],
    fields: SKILL_FIELDS,
    table: /^NAME +STATUS +WHY +DESCRIPTION\nschema-design +would be approved +it suits the task +Designs/,
  },
  {
    command: "skill choose",
    prepare: prepareSkills,
    args: ["--task", "1", "--names", "styling", "--by", "w1"],
    data: [{ number: 1, name: "styling", task_id: "1", attempt: 1, status: "approved", chosen_by: "w1" }],
    fields: SKILL_FIELDS,
    table: /^NAME +STATUS +WHY +DESCRIPTION\nstyling +approved +it suits the task +CSS/,
  },
  {
    command: "skill approve",
    prepare: prepareSkills,
    before: [
      ["project", "update", "--mode", "SUPERVISED"],
      ["skill", "choose", "1", "--by", "w1"],
    ],
    args: ["--task", "1", "--name", "schema-design", "--by", "orchestrator"],
    data: [{ name: "schema-design", status: "approved", approved_by: "orchestrator" }],
    fields: SKILL_FIELDS,
    table: /^NAME +STATUS +WHY +DESCRIPTION\nschema-design +approved /,
  },
]

/** A plan of one task, with a role made for it. */
function prepareRoles({ cwd }: Bench): void {
  const roleSpecs = [{ name: "scanner", prefix: "SCAN", responsibility: "exploration", capability: "Find things" }]
  const tasks = [{ id: "SCAN-1", title: "Find all", agentType: "scanner", acceptance: "All are found" }]
  writeFileSync(join(cwd, "roles.json"), JSON.stringify({ goal: "Find things", roleSpecs, tasks }))
}

const PRESET_CASES: Case[] = [
  {
    command: "presets",
    args: [],
    data: [
      {
        ...{ name: "pm-team", source: "built-in", protocol: "planned", qa: true, workers: "3" },
        roles: { code: "executor", document: "docs", research: "explorer", design: "designer" },
      },
      { name: "teamwork", schedule: "waves" },
      { name: "forge", template: "build-team" },
      { name: "coordinate", coordinate: true },
    ],
    fields: ["name", "source", "summary", "roles"],
    table: /^NAME +WORKERS +PROTOCOL +QA +FROM +WHAT IT IS\npm-team +3 +planned +yes +built-in +A project manager/,
  },
  {
    command: "plan",
    args: ["plan.yml", "--preset", "pm-team"],
    prepare: preparePlan,
    data: {
      ...{ preset: "pm-team", protocol: "planned", qa: true, workers: "3", role_specs: [], applied: null },
      tasks: [{ id: "5", role: "worker", agent_type: "executor" }, { id: "6" }],
    },
    table:
      /\nTeam +pm-team, FULL_AUTO, schedule waves, workers 3, protocol planned, QA\n(.*\n)*.*: teamwork plan plan\.yml --preset pm-team --yes\n$/,
  },
  {
    command: "coordinate",
    args: ["--what", "roles.json", "--yes", "--add", "--save-roles", "--on-overlap", "refuse", "--budget", "none"],
    prepare: prepareRoles,
    data: {
      preset: "coordinate",
      role_specs: [
        {
          ...{ name: "scanner", prefix: "SCAN", responsibility: "exploration", capability: "Find things" },
          tasks: ["SCAN-1"],
        },
      ],
      applied: { created: ["SCAN-1"], role_specs: ["scanner"] },
      saved: [expect.stringMatching(/shop\/\.teamwork\/roles\/scanner\.md$/)],
    },
    table: /\nProject shop\/main: tasks 1 created, 4 not in the plan; 2 waves\nWrote \/.*\/scanner\.md\n$/,
  },
  {
    command: "coordinate",
    args: ["roles.json", "--dry-run"],
    prepare: prepareRoles,
    data: { role_specs: [{ name: "scanner" }], applied: null },
    table: /\nRoles made for it\n {2}scanner \(SCAN-, exploration\): Find things; SCAN-1\n/,
  },
  {
    command: "role gap",
    args: [
      "--task",
      "1",
      "--capability",
      "Read Latin",
      "--responsibility",
      "analysis",
      "--owner",
      "w1",
      "--token",
      "1",
    ],
    data: {
      ...{ role: "read-latin", is_new_role: true, task: "READ-1" },
      why: "role read-latin was made, and task READ-1 comes first",
    },
    table: /^Role read-latin was made, and task READ-1 comes first\n$/,
  },
]

const COMPLETION_CASES: Case[] = [
  {
    command: "deliverables",
    args: [],
    data: {
      team: { project: "shop", team: "main" },
      deliverables: [{ type: "code", tasks: [{ id: "3", title: "Page", result: null, files: [] }] }],
      unfinished: ["1", "2", "4"],
    },
    table: /^TYPE +TASK +TITLE +FILES\ncode +3 +Page +0\n$/,
  },
  {
    command: "deliverables",
    args: ["--to", "handover", ...REPOSITORY],
    data: {
      folder: expect.stringMatching(/shop\/handover$/),
      written: ["DELIVERABLES.md", "code/README.md"],
    },
    table: /^Wrote 2 files to \/.*\/shop\/handover\n$/,
  },
  {
    command: "archive",
    args: REPOSITORY,
    before: READY_TO_DELIVER,
    data: { action: "archive", removed: [], pins: [], artifacts: [], warnings: [] },
    fields: ["project", "team", "action", "summary"],
    table: /^Archived shop\/main: 0 files delivered, 0 worktrees removed\n$/,
  },
  {
    command: "keep",
    args: ["--reason", "the shop is closed"],
    data: { project: "shop", team: "main", status: "paused" },
    table: /^Kept shop\/main; go on with: teamwork resume, then: teamwork run --resume\n$/,
  },
  {
    command: "export",
    args: ["--to", "team", "--archive", ...REPOSITORY],
    before: READY_TO_DELIVER,
    data: { action: "export", removed: [], warnings: [], summary: expect.stringMatching(/Handed over to .*\/team\n/) },
    table: /^Exported and archived shop\/main: 0 files delivered, 0 worktrees removed\n$/,
  },
]

const FIRST_CASES: readonly Case[] = [
  ...PROJECT_CASES,
  ...TASK_CASES,
  ...EVIDENCE_CASES,
  ...WAVE_CASES,
  ...WORKTREE_CASES,
  ...OPEN_CASES,
  ...WORKER_CASES,
  ...SWARM_CASES,
  ...OTHER_CASES,
  ...AGENT_CASES,
  ...VERIFY_CASES,
  ...OWNERSHIP_CASES,
  ...ESCALATION_CASES,
  ...FINDING_CASES,
  ...QA_CASES,
  ...KNOWLEDGE_CASES,
  ...PRESET_CASES,
  ...COMPLETION_CASES,
]

/** What reads a run of the team: by its number the current one is the same as without. */
const READS_RUNS = [
  ...["project status", "task get", "task list", "evidence list", "wave status", "verdict list", "approvals"],
  ...[
    "ownership list",
    "escalations",
    "findings",
    "findings show",
    "quality",
    "wisdom list",
    "discuss list",
    "discuss show",
    "artifact list",
  ],
  ...["artifact show", "artifact export", "deliverables", "diff", "refs", "recover", "mailbox read", "mailbox poll"],
  ...["logs", "events tail", "report", "watch", "whiteboard", "swarm status", "export"],
]

const RUN_CASES: readonly Case[] = READS_RUNS.flatMap((command) => {
  const first = FIRST_CASES.find((each) => each.command === command)
  return first === undefined ? [] : [{ ...first, args: [...first.args, "--run", "1"] }]
})

export const CASES: readonly Case[] = [...FIRST_CASES, ...RUN_CASES]

export const MISSING: readonly Missing[] = [
  { command: "plan", args: ["--yes"], message: /--what is missing/ },
  { command: "project create", args: [], message: /--goal is missing/ },
  { command: "project update", args: [], message: /--goal/ },
  { command: "link", args: [], message: /--name is missing/ },
  { command: "task create", args: [], message: /--title is missing/ },
  { command: "task get", args: [], message: /--id is missing/ },
  { command: "task claim", args: ["--id", "4"], message: /--owner is missing/ },
  { command: "task claim", args: ["--owner", "w3"], message: /--id.*--next/ },
  { command: "task heartbeat", args: ["--id", "1"], message: /--owner is missing/ },
  { command: "task update", args: [], message: /--id is missing/ },
  { command: "task release", args: [], message: /--id is missing/ },
  { command: "task reopen", args: [], message: /--id is missing/ },
  { command: "task delete", args: [], message: /--id is missing/ },
  { command: "evidence add", args: ["--id", "1"], message: /--add-evidence/ },
  { command: "evidence add", args: ["--id", "1", "--command", "x"], message: /--exit-code/ },
  { command: "evidence add", args: ["--id", "1", "--evidence-type", "file", "--path", "x"], message: /--action/ },
  { command: "evidence run", args: ["--id", "1"], message: /name one, as in: teamwork evidence run 1 -- npm test/ },
  { command: "evidence list", args: [], message: /--id is missing/ },
  { command: "evidence withdraw", args: ["--id", "1"], message: /--number is missing/ },
  { command: "wave update", args: ["--wave", "1"], message: /--status is missing/ },
  { command: "verdict record", args: ["--status", "passed"], message: /--scope is missing/ },
  { command: "verdict record", args: ["--scope", "task", "--status", "passed"], message: /--subject/ },
  { command: "verify task", args: ["--again"], message: /--id is missing/ },
  { command: "verify wave", args: ["--again"], message: /--wave is missing/ },
  { command: "ownership ask", args: ["--task", "1", "--path", "x"], message: /--reason is missing/ },
  { command: "ownership grant", args: ["1"], message: /--number is missing/ },
  { command: "ownership deny", args: ["1"], message: /--number is missing/ },
  { command: "ownership enforce", args: [], message: /--task is missing/ },
  { command: "checkpoint", args: [], message: /--name is missing/ },
  { command: "approve", args: [], message: /--number is missing/ },
  { command: "reject", args: ["1"], message: /--reason is missing/ },
  { command: "task phase", args: ["1", "requirement"], message: /--report is missing/ },
  { command: "worktree create", args: [], message: /--worker-id is missing/ },
  { command: "worktree remove", args: [], message: /--worker-id is missing/ },
  { command: "swarm stop", args: [], message: /--worker ID, or --all/ },
  { command: "swarm stop", args: ["--worker", "w1", "--all"], message: /--worker ID, or --all/ },
  { command: "logs", args: ["--follow"], message: /--of is missing/ },
  { command: "attach", args: [], message: /--worker is missing/ },
  { command: "open", args: [], message: /--id is missing/ },
  { command: "swarm sync", args: [], message: /--worker-id is missing/ },
  { command: "refs", args: ["--purge"], message: /--task or --worker-id/ },
  { command: "recover", args: [], message: /--task/ },
  { command: "mailbox send", args: ["--from", "w1", "--message", "x"], message: /--to is missing/ },
  { command: "mailbox read", args: [], message: /--inbox is missing/ },
  { command: "mailbox poll", args: [], message: /--inbox is missing/ },
  { command: "loop-state", args: [], message: /--get, --start and --clear/ },
  { command: "route", args: ["--explain"], message: /--text is missing/ },
  { command: "agent exec", args: ["--agent", "codex"], message: /--prompt is missing/ },
  { command: "agent reset", args: [], message: /--agent is missing/ },
  { command: "agent status", args: [], message: /--job-id is missing/ },
  { command: "agent cancel", args: [], message: /--job-id is missing/ },
  { command: "role show", args: [], message: /--name is missing/ },
  { command: "role gap", args: ["--task", "1"], message: /--capability is missing/ },
  { command: "coordinate", args: ["--yes"], message: /--what is missing/ },
  { command: "prompt", args: ["--agent", "codex"], message: /--id is missing/ },
  { command: "diff", args: [], message: /--id is missing/ },
  { command: "config get", args: [], message: /--key is missing/ },
  { command: "config set", args: ["team.maxAgents"], message: /--value is missing/ },
  { command: "config unset", args: [], message: /--key is missing/ },
  { command: "completion", args: [], message: /--shell is missing/ },
  { command: "escalate", args: ["--trigger", "budget"], message: /--summary is missing/ },
  { command: "decide", args: ["1"], message: /--option is missing/ },
  { command: "findings show", args: [], message: /--number is missing/ },
  { command: "findings waive", args: ["1"], message: /--reason is missing/ },
  { command: "findings reopen", args: [], message: /--number is missing/ },
  { command: "revise", args: [], message: /--id is missing/ },
  { command: "feedback", args: [], message: /teamwork feedback TEXT/ },
  { command: "qa submit", args: ["--owner", "w1"], message: /--id is missing/ },
  { command: "qa plan", args: ["--owner", "w1"], message: /--id is missing/ },
  { command: "qa record", args: ["4"], message: /--score is missing/ },
  { command: "qa accept", args: ["--owner", "w1"], message: /--id is missing/ },
  { command: "qa return", args: ["4"], message: /--reason is missing/ },
  { command: "wisdom add", args: [], message: /--text is missing/ },
  { command: "wisdom remove", args: [], message: /--number is missing/ },
  { command: "explore put", args: ["--angle", "x", "--summary", "y"], message: /--files is missing/ },
  { command: "explore get", args: [], message: /--angle is missing/ },
  { command: "discuss open", args: [], message: /--topic is missing/ },
  { command: "discuss say", args: ["1"], message: /--text is missing/ },
  { command: "discuss close", args: ["1", "--conclusion", "x"], message: /--outcome is missing/ },
  { command: "discuss show", args: [], message: /--number is missing/ },
  { command: "artifact add", args: [], message: /--file is missing/ },
  { command: "artifact show", args: [], message: /--number is missing/ },
  { command: "artifact export", args: [], message: /--to is missing/ },
  { command: "skill list", args: ["--for", "backend", "--task", "1"], message: /--for or --task, not both/ },
  { command: "skill choose", args: [], message: /--task is missing/ },
  { command: "skill approve", args: [], message: /--task is missing/ },
]
