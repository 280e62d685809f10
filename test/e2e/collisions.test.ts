// Tasks that change the same place of the same file. Real processes, real git, and the script agent.
import { describe, expect, it } from "bun:test"
import { join } from "node:path"
import { makeRepository, type PlannedTask, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

const LONG_MS = 4 * TEST_TIMEOUT_MS
const RUN = ["run", "--no-review", "--no-cascade", "--workers", "4"]
const SIX = ["a", "b", "c", "d", "e", "f"]
/** A gate that judges nothing of what these tests merge. */
const MAKEFILE = "test:\n\ttest -e README.md\n"

/** Both sides of the conflict stand beside each other afterwards. */
const KEEP_BOTH = [
  'git merge "$TEAMWORK_FIX_HEAD" || {',
  "for path in $(git diff --name-only --diff-filter=U); do",
  'git show ":2:$path" > .ours; git show ":3:$path" > .theirs; paste -d+ .ours .theirs > "$path"; rm .ours .theirs;',
  'git add "$path"; done; git commit --quiet --no-edit; }',
].join(" ")

/** All lines of both sides. */
const KEEP_LINES = [
  'git merge "$TEAMWORK_FIX_HEAD" || {',
  "for path in $(git diff --name-only --diff-filter=U); do",
  `grep -v -E '^(<<<<<<<|=======|>>>>>>>)' "$path" > .merged; mv .merged "$path";`,
  'git add "$path"; done; git commit --quiet --no-edit; }',
].join(" ")

function planFor(bench: Bench, tasks: readonly PlannedTask[], more: Record<string, unknown> = {}): string {
  return writePlan(join(bench.cwd, "../plan.json"), tasks, more)
}

interface Run {
  readonly task: string
  readonly worker: string
  readonly at: number
}

async function listEvents(bench: Bench, type: string): Promise<Data[]> {
  return (await bench.ok<{ events: Data[] }>("events", "tail", "--type", type, "--limit", "1000")).events
}

async function listRuns(bench: Bench): Promise<Run[]> {
  const events = await listEvents(bench, "run.started")
  return events.map(({ data, seq }) => {
    const { task, worker } = data as Data
    return { task: String(task), worker: String(worker), at: Number(seq) }
  })
}

function repairsOf(runs: readonly Run[]): string[] {
  return runs.map(({ task }) => task).filter((task) => task.startsWith("fix-"))
}

for (const schedule of ["eager", "waves"]) {
  describe(`F024: six tasks that edit the same line, ${schedule}`, () => {
    it(
      "cost at most five repairs, none is repaired twice, and an independent task does not wait for them",
      async () => {
        using bench = makeBench()
        makeRepository(bench.cwd, { line: "start\n", Makefile: MAKEFILE })
        const run = (id: string) => [`sed -i 's/$/+${id}/' line`]
        const tasks = SIX.map((id) => ({ id, files: [], run: run(id), repair: ["sleep 0.3", KEEP_BOTH] }))
        const own = { id: "own", run: ["echo own > fown"] }
        // In waves it is of the second one, which opens after all repairs of the first.
        const more = schedule === "eager" ? [own, { id: "late", needs: ["own"], run: ["echo late > flate"] }] : [own]
        const plan = planFor(bench, [...tasks, ...more], { schedule })
        const { exitCode, stdout } = await bench.run([...RUN, plan])
        expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
        expect(new Set(git(bench.cwd, "show", "main:line").split("+"))).toEqual(new Set(["start", ...SIX]))
        expect(git(bench.cwd, "show", "main:fown")).toBe("own")
        const runs = await listRuns(bench)
        const repairs = repairsOf(runs)
        expect(repairs.length).toBeLessThanOrEqual(SIX.length - 1)
        expect(new Set(repairs).size).toBe(repairs.length)
        expect(runs).toHaveLength(SIX.length + more.length + repairs.length)
        // Nobody has anything else to do once a wave is merged, so whoever did the work mends it.
        const workerOf = (id: string) => runs.find(({ task }) => task === id)?.worker
        if (schedule === "waves")
          for (const fix of repairs) expect(workerOf(fix)).toBe(workerOf(fix.split("-")[1] ?? "") ?? "")
        const lastRepair = runs.findLast(({ task }) => task.startsWith("fix-"))?.at ?? 0
        for (const { id } of more) expect(runs.find(({ task }) => task === id)?.at).toBeLessThan(lastRepair)
      },
      LONG_MS,
    )
  })
}

describe("F019: six features of one area", () => {
  const ROUTES = "exports.routes = [\n]\n"
  const GATE = 'const { routes } = require("./routes.js"); process.exit(new Set(routes).size < routes.length ? 1 : 0)\n'
  const feature = (id: string) => [
    `echo 'exports.${id} = () => "${id}"' > ${id}.js`,
    // Somebody who writes a feature adds a line for it where all the others do.
    `awk '{ print } NR == 1 { print "  \\"${id}\\"," }' routes.js > .new && mv .new routes.js`,
  ]

  async function build(bench: Bench, files: Record<string, string>, more: Record<string, unknown> = {}) {
    makeRepository(bench.cwd, { "routes.js": ROUTES, ...files })
    // All begin from the same state: whoever begins later would build on what is merged by then.
    const here = join(bench.cwd, "../begun")
    const all = `mkdir -p ${here}; touch ${here}/$TEAMWORK_TASK; for i in $(seq 100); do [ "$(ls ${here} | wc -l)" -ge 6 ] && break; sleep 0.1; done`
    const tasks = SIX.map((id) => ({ id, files: [], run: [all, ...feature(id)], repair: [KEEP_LINES] }))
    const { exitCode, stdout } = await bench.run([...RUN.slice(0, -1), "6", planFor(bench, tasks, more)], {
      env: { TEAMWORK_TEAM_MAX_AGENTS: "6" },
    })
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    const text = git(bench.cwd, "show", "main:routes.js")
    return { stdout, text, repairs: repairsOf(await listRuns(bench)) }
  }

  it(
    "need no run of an agent to be put together where a gate judges the result",
    async () => {
      using bench = makeBench()
      const { text, repairs, stdout } = await build(bench, { "gate.js": GATE, Makefile: "test:\n\tnode gate.js\n" })
      for (const id of SIX) expect(text).toContain(`  "${id}",`)
      expect(repairs).toEqual([])
      expect(stdout).toContain("routes.js holds what both sides added")
      expect(await bench.text("report")).toContain("look at routes.js")
    },
    LONG_MS,
  )

  for (const schedule of ["eager", "waves"]) {
    it(
      `are repaired one after the other where there is no gate, ${schedule}`,
      async () => {
        using bench = makeBench()
        const { text, repairs } = await build(bench, {}, { schedule })
        for (const id of SIX) expect(text).toContain(`  "${id}",`)
        expect(repairs.length).toBeGreaterThan(0)
        expect(repairs.length).toBeLessThanOrEqual(SIX.length - 1)
        expect(new Set(repairs).size).toBe(repairs.length)
      },
      LONG_MS,
    )
  }

  it(
    "become repairs where the gate is red with both additions",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, {
        "routes.js": ROUTES,
        Makefile: 'test:\n\ttest "$$(grep -c , routes.js)" -le 1\n',
      })
      const tasks = ["a", "b"].map((id) => ({
        ...{ id, files: [], run: feature(id) },
        repair: [
          'git merge "$TEAMWORK_FIX_HEAD" || { git checkout --ours routes.js; git add routes.js; git commit -qm fix; }',
        ],
      }))
      const { exitCode, stdout } = await bench.run([...RUN, planFor(bench, tasks, { schedule: "waves" })])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(stdout).not.toContain("holds what both sides added")
      expect(repairsOf(await listRuns(bench))).toHaveLength(1)
    },
    LONG_MS,
  )
})

describe("F019: what is ready", () => {
  it(
    "is begun in an order in which it collides least, and no worker waits for that",
    async () => {
      using bench = makeBench()
      makeRepository(bench.cwd, { "src/area.txt": "start\n" })
      const area = ["a", "b", "c"].map((id) => ({
        ...{ id, files: [], description: "It changes src/area.txt", repair: [KEEP_BOTH] },
        run: ["sleep 0.5", `sed -i 's/$/+${id}/' src/area.txt`],
      }))
      const others = ["x", "y", "z"].map((id) => ({ id, run: ["sleep 0.5", `echo ${id} > f${id}`] }))
      const plan = planFor(bench, [...area, ...others], { schedule: "waves" })
      const { exitCode, stdout } = await bench.run([...RUN, plan])
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      const first = (await listRuns(bench)).slice(0, 4).map(({ task }) => task)
      // Four workers: most of them begin with tasks beside the area, though these come later in the plan. A worker that claims
      // before the ranks are written may still take a second task of the area.
      expect(first.filter((task) => ["x", "y", "z"].includes(task)).length).toBeGreaterThanOrEqual(2)
    },
    LONG_MS,
  )
})
