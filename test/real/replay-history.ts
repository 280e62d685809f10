// Takes the next commits of a real history as script tasks, runs them through the built program with nothing configured,
// and says whether the real tree was delivered.
import { existsSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { installDependencies } from "./dependencies.ts"
import { languageOf } from "./language.ts"
import { type BrokenCheck, findBroken, judgeRun, type Outcome, type VerdictFact } from "./outcome.ts"
import { type Change, pickChanges } from "./pick-commits.ts"
import { type Ended, runProgram } from "./run-program.ts"
import { makeStranger, nameOf, type Stranger } from "./stranger.ts"

const ROOT = resolve(import.meta.dir, "../..")
const BUILT = join(ROOT, "dist/teamwork")

export interface ReplayOptions {
  readonly commits: number
  readonly at?: string
  readonly isChained?: boolean
  readonly workers: string
  readonly withDependencies: boolean
  readonly timeoutMs: number
  readonly isKept?: boolean
  /** How the program is started; the built one by default. */
  readonly program?: readonly string[]
}

export interface Replay {
  readonly repository: string
  readonly language: string
  readonly base: string
  readonly commits: readonly Pick<Change, "id" | "commit" | "subject" | "needs">[]
  readonly dependencies: string
  readonly outcome: Outcome
  readonly agentRuns: number
  readonly seconds: number
  /** What the program printed. */
  readonly output: string
  /** Where everything lies, if it was kept. */
  readonly folder: string | null
}

/** Runs the next commits of the repository at `source`, and judges what came of it. */
export async function replayHistory(source: string, options: ReplayOptions): Promise<Replay> {
  const program = options.program ?? [await builtProgram()]
  await using stranger = await makeStranger(resolve(source), nameOf(source), options.isKept === true)
  const changes = await pickChanges(stranger, { ...options, count: options.commits })
  const [first, last] = [changes[0], changes.at(-1)]
  if (first === undefined || last === undefined) throw new Error("there is no commit to replay")
  await stranger.git("checkout", "--quiet", "-B", "main", first.parent)
  const dependencies = options.withDependencies ? await installDependencies(stranger) : "no"
  const before = await stranger.git("status", "--porcelain")
  const plan = writePlan(stranger, changes)
  const call = (timeoutMs: number, ...args: string[]) =>
    runProgram([...program, ...args], { cwd: stranger.clone, env: stranger.env, timeoutMs })
  const ended = await call(options.timeoutMs, "run", plan, "--workers", options.workers, "--yes", "--format", "table")
  if (ended.isTimedOut) await call(SHORT_MS, "cancel", "--force")
  const read = async <T>(empty: T, ...args: string[]) => dataOf(await call(SHORT_MS, ...args, "--json"), empty)
  const report = await read({ cost: { total: { runs: 0 } } }, "report")
  const agentRuns = report.cost.total.runs
  const isTreeEqual = (await treeOf(stranger, "main")) === (await treeOf(stranger, last.commit))
  const verdicts = await read<readonly VerdictFact[]>([], "verdict", "list")
  const broken = isTreeEqual ? undefined : await examine(stranger, changes, verdicts)
  const facts = {
    ...{
      exitCode: ended.exitCode,
      isTimedOut: ended.isTimedOut,
      agentRuns,
      tasks: changes.length,
      isTreeEqual,
      broken,
    },
    isClean: (await stranger.git("status", "--porcelain")) === before,
    ...readOutput(ended),
  }
  return {
    ...{ repository: nameOf(source), language: await languageOf(stranger.git, first.parent), base: first.parent },
    commits: changes.map(({ id, commit, subject, needs }) => ({ id, commit, subject, needs })),
    ...{ dependencies, outcome: judgeRun(facts), agentRuns, seconds: ended.seconds },
    output: ended.stdout + ended.stderr,
    folder: options.isKept === true ? stranger.root : null,
  }
}

const SHORT_MS = 60_000

async function builtProgram(): Promise<string> {
  if (existsSync(BUILT)) return BUILT
  const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined))
  const built = Bun.spawnSync([process.execPath, join(ROOT, "scripts/build.ts")], { env, stdio: ["ignore", 2, 2] })
  if (!built.success) throw new Error("the program cannot be built; see above")
  return BUILT
}

/** Does what an honest author would: bring the patch in, and find it there when asked again. */
const APPLY = `set -e
if [ -n "\${TEAMWORK_FIX_HEAD:-}" ]; then git merge --quiet --no-edit "$TEAMWORK_FIX_HEAD"; fi
if git apply --reverse --check --whitespace=nowarn "$1" 2>/dev/null; then exit 0; fi
exec git apply --whitespace=nowarn "$1"
`

function writePlan({ root }: Stranger, changes: readonly Change[]): string {
  const script = join(root, "apply.sh")
  writeFileSync(script, APPLY)
  const tasks = changes.map(({ id, subject, commit, patch, needs }) => {
    const apply = [`sh '${script}' '${patch}'`]
    const acceptance = [`The change of commit ${commit.slice(0, 12)} is there`]
    return { id, title: subject.slice(0, MAX_TITLE) || commit, acceptance, needs, run: apply, repair: apply }
  })
  const plan = join(root, "plan.json")
  writeFileSync(plan, JSON.stringify({ goal: "Take over what the authors did next", tasks }, null, 2))
  return plan
}

const MAX_TITLE = 120

async function treeOf({ git }: Stranger, revision: string): Promise<string> {
  return git("rev-parse", `${revision}^{tree}`)
}

function dataOf<T>({ stdout }: Ended, empty: T): T {
  try {
    const answer = JSON.parse(stdout) as { readonly status: string; readonly data: T }
    return answer.status === "success" ? answer.data : empty
  } catch {
    return empty
  }
}

/** Runs the command that failed on the real commit and on its parent: is it the commit that breaks it? */
async function examine(
  stranger: Stranger,
  changes: readonly Change[],
  verdicts: readonly VerdictFact[],
): Promise<BrokenCheck | undefined> {
  const broken = findBroken(verdicts, changes.at(-1)?.id ?? "")
  const change = changes.find(({ id }) => id === broken?.task)
  if (broken === undefined || change === undefined) return undefined
  const isRed = async (commit: string) => {
    // In the clone itself, where the dependencies are. Its main branch has been read already.
    await stranger.git("checkout", "--quiet", "--force", "--detach", commit)
    const { clone: cwd, env } = stranger
    const ended = await runProgram(["sh", "-c", broken.command], { cwd, env, timeoutMs: EXAMINE_MS })
    await stranger.git("checkout", "--quiet", "--force", "main")
    return ended.exitCode !== 0
  }
  return { ...broken, isRedOnCommit: await isRed(change.commit), isRedOnParent: await isRed(change.parent) }
}

const EXAMINE_MS = 180_000

function readOutput({ stdout, stderr }: Ended): { readonly errors: readonly string[]; readonly lastLine: string } {
  const lines = (text: string) => text.split("\n").filter((line) => line.trim() !== "")
  const errors = lines(stderr).flatMap((line) => /^Error: (.*)$/.exec(line)?.[1] ?? [])
  return { errors, lastLine: (errors.at(-1) ?? lines(stdout).at(-1) ?? "").slice(0, MAX_TITLE * 2) }
}

export const TABLE_HEAD = [
  "| repository | language | commits | dependencies | outcome | agent runs per task | seconds |",
  "|---|---|---|---|---|---|---|",
]

export function tableRow({ repository, language, commits, dependencies, outcome, agentRuns, seconds }: Replay): string {
  const perTask = (agentRuns / commits.length).toFixed(2)
  const cells = [repository, language, commits.length, dependencies, outcome.text, perTask, seconds.toFixed(1)]
  return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`
}
