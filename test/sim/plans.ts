// Random plans: graphs of tasks with needs, owned files and roles, on a repository that has a file for each of them.

import type { RunName, TeamName } from "../../src/kernel/team.ts"
import type { Role } from "../../src/tasks/task.ts"
import type { Random } from "./random.ts"

export const SIM_TEAM = { project: "shop", team: "sim" } satisfies TeamName
export const SIM_RUN = { ...SIM_TEAM, run: 1 } satisfies RunName

export interface SimTask {
  readonly id: string
  readonly title: string
  readonly needs: readonly string[]
  /** Globs. None: it may write what nobody owns. */
  readonly files: readonly string[]
  readonly role: Role
  readonly checks: readonly string[]
  /** The paths that its work changes. */
  readonly paths: readonly string[]
  /** Of two such words in the files, one of each kind, the project's tests fail. */
  readonly clash: "ebb" | "flow" | null
}

/** How the gates stand before anybody works. */
export interface SimBase {
  /** Some files of the start are broken, so the tests are red. */
  readonly isRed: boolean
  /** The output of the tests names each of them. */
  readonly isReadable: boolean
  /** There is a linter, and it is not installed. */
  readonly lacksLinter: boolean
}

export interface SimPlan {
  readonly schedule: "waves" | "eager"
  readonly base: SimBase
  readonly tasks: readonly SimTask[]
  readonly files: Readonly<Record<string, string>>
}

/** Files that belong to nobody, so that several tasks change them at once. */
const COMMON = ["common/one.txt", "common/two.txt"]

/** Of these plans most tasks change the same file, and nothing keeps them from doing so at once. */
const CROWDED = 0.15

export function makePlan(random: Random, { isCrowded = random.fork("crowd").chance(CROWDED) } = {}): SimPlan {
  const plan = makeAnyPlan(random)
  return isCrowded ? crowd(plan, random.fork("crowded")) : plan
}

function crowd(plan: SimPlan, random: Random): SimPlan {
  // Their own checks are about files that they no longer change.
  const crowded = { needs: [], files: [], checks: [], paths: COMMON.slice(0, 1), clash: null }
  const tasks = plan.tasks.map((task, index) => (index === 0 || random.chance(0.2) ? task : { ...task, ...crowded }))
  return { ...plan, tasks }
}

/** The tasks that change a file which others change as well. */
export function listCrowd({ tasks }: SimPlan): string[] {
  return tasks.filter(({ paths }) => paths.some((path) => COMMON.includes(path))).map(({ id }) => id)
}

function makeAnyPlan(random: Random): SimPlan {
  const count = random.int(1, 7)
  const tasks: SimTask[] = []
  for (let number = 1; number <= count; number++) {
    const id = `t${number}`
    const earlier = tasks.map((task) => task.id)
    const isOwner = random.chance(0.7)
    const own = [`src/${id}/main.txt`, ...(random.chance(0.4) ? [`src/${id}/more.txt`] : [])]
    tasks.push({
      id,
      title: `${random.pick(["Do", "Implement", "Write tests for"])} ${id}`,
      needs: random.shuffle(earlier).slice(0, random.pick([0, 0, 1, 1, 2])),
      files: isOwner ? [`src/${id}/**`] : [],
      role: random.pick(["worker", "worker", "worker", "backend", "frontend"] as const),
      checks: random.chance(0.6) ? [`check ${id}`] : [],
      paths: isOwner ? own : [random.pick(COMMON), ...(random.chance(0.3) ? [`free/${id}.txt`] : [])],
      clash: random.chance(0.15) ? random.pick(["ebb", "flow"] as const) : null,
    })
  }
  const own = random.fork("base")
  const base = { isRed: own.chance(0.3), isReadable: own.chance(0.7), lacksLinter: own.chance(0.2) }
  // One that nobody works on, and now and then one that a task is about to write anew.
  const written = tasks.flatMap((task) => task.paths).filter((path) => path.startsWith("src/") && own.chance(0.3))
  const old = new Set(base.isRed ? ["legacy/old.txt", ...written] : [])
  const paths = [
    "README.md",
    ...(base.isRed ? ["legacy/old.txt"] : []),
    ...COMMON,
    ...tasks.filter(() => random.chance(0.7)).map(({ id }) => `src/${id}/main.txt`),
  ]
  return {
    schedule: random.pick(["waves", "eager"] as const),
    ...{ base, tasks },
    files: Object.fromEntries(paths.map((path) => [path, `${path}: start${old.has(path) ? " broken" : ""}\n`])),
  }
}

/** Whether a file's content makes the tests fail. */
export function isBroken(content: string): boolean {
  return / broken\b/.test(content)
}

/** The project's tests that fail on these files: one for each file, and one for all of them together. */
export function failingTests(files: ReadonlyMap<string, string>): string[] {
  const broken = [...files].flatMap(([path, content]) => (isBroken(content) ? [path] : []))
  const has = (word: string) => [...files.values()].some((content) => content.includes(` ${word}`))
  return has("ebb") && has("flow") ? [...broken, "all get along"] : broken
}
