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

export interface SimPlan {
  readonly schedule: "waves" | "eager"
  readonly tasks: readonly SimTask[]
  readonly files: Readonly<Record<string, string>>
}

/** Files that belong to nobody, so that several tasks change them at once. */
const COMMON = ["common/one.txt", "common/two.txt"]

export function makePlan(random: Random): SimPlan {
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
  const paths = [
    "README.md",
    ...COMMON,
    ...tasks.filter(() => random.chance(0.7)).map(({ id }) => `src/${id}/main.txt`),
  ]
  return {
    schedule: random.pick(["waves", "eager"] as const),
    tasks,
    files: Object.fromEntries(paths.map((path) => [path, `${path}: start\n`])),
  }
}

/** Whether a file's content makes the tests fail. */
export function isBroken(content: string): boolean {
  return / broken\b/.test(content)
}

/** Why the project's tests fail on these files; undefined when they pass. */
export function whyTestsFail(files: ReadonlyMap<string, string>): string | undefined {
  for (const [path, content] of files) if (isBroken(content)) return `${path} is broken`
  const has = (word: string) => [...files].find(([, content]) => content.includes(` ${word}`))?.[0]
  const [one, other] = [has("ebb"), has("flow")]
  return one === undefined || other === undefined ? undefined : `${one} and ${other} do not get along`
}
