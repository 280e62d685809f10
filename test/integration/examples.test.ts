// The example plans do what they promise, task by task and without us: what their commands make, which check fails and is
// repaired, and which two do not fit together.
import { expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { NO_PAST } from "../../src/planning/estimate.ts"
import type { PlanTask } from "../../src/planning/plan.ts"
import { loadPlan } from "../../src/planning/planner/load-plan.ts"
import { decompose } from "../../src/planning/planner/route-plan.ts"
import { PLAN_FACTS } from "../support/plans.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

setDefaultTimeout(60_000)

const SHOP = join(import.meta.dir, "../../examples/shop")
const IDENTITY = { GIT_AUTHOR_NAME: "T", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "T", GIT_COMMITTER_EMAIL: "t@t" }

function makeShop() {
  const scratch = makeScratch("shop")
  const folder = join(scratch.path, "repository")
  const exec = (command: readonly string[], env: Record<string, string> = {}) => {
    const { success, stdout, stderr } = Bun.spawnSync([...command], {
      cwd: command[0] === "sh" && command[1] !== "-c" ? scratch.path : folder,
      env: sandboxEnv({ ...IDENTITY, ...env }),
    })
    return { success, output: `${stdout}${stderr}`.trim() }
  }
  const git = (...args: string[]) => {
    const { success, output } = exec(["git", ...args])
    if (!success) throw new Error(`git ${args.join(" ")}: ${output}`)
    return output
  }
  /** True when every command ends with 0. */
  const all = (lines: readonly string[], env = {}) => lines.every((line) => exec(["sh", "-c", line], env).success)
  const commit = () => {
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message=work")
  }
  return { ...{ folder, exec, git, all, commit }, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

async function loadShop() {
  const name = join(SHOP, "plan.yml")
  return loadPlan({ name, text: readFileSync(name, "utf8") }, { ...PLAN_FACTS, hasTests: false })
}

it("the shop: ten tasks in four waves, all by the script agent, without a rule that adds to it", async () => {
  const { plan, notes } = await loadShop()
  const shown = decompose(plan, notes, {
    ...PLAN_FACTS,
    standings: [],
    now: "",
    past: NO_PAST,
    enableCascade: true,
    defaultModel: "sonnet",
  })
  expect(notes).toEqual([])
  expect(shown).toMatchObject({ schedule: "waves", workers: "4", totalWaves: 4 })
  expect(shown.tasks.map(({ id, wave, agent }) => [wave, id, agent])).toEqual([
    ...["money", "catalog", "tax"].map((id) => [1, id, "script"]),
    ...["cart", "discount", "shipping"].map((id) => [2, id, "script"]),
    ...["checkout", "receipt"].map((id) => [3, id, "script"]),
    ...["guide", "history"].map((id) => [4, id, "script"]),
  ] as never)
})

it("the shop: one check fails and is repaired, two tasks do not fit and are mended", async () => {
  using shop = makeShop()
  expect(shop.exec(["sh", join(SHOP, "../setup.sh"), "shop", shop.folder]).success).toBe(true)
  const { plan } = await loadShop()
  const taskNamed = (id: string) => plan.tasks.find((task) => task.id === id) as PlanTask
  const repaired: string[] = []
  for (const task of plan.tasks.slice(0, 8)) {
    expect({ id: task.id, works: shop.all(task.run) }).toEqual({ id: task.id, works: true })
    if (!shop.all(task.checks)) {
      repaired.push(task.id)
      expect(shop.all(task.repair) && shop.all(task.checks)).toBe(true)
    }
    shop.commit()
  }
  expect(repaired).toEqual(["discount"])
  const base = shop.git("rev-parse", "HEAD")
  const branches = ["guide", "history"].map((id) => {
    shop.git("checkout", "--quiet", "-b", id, base)
    expect(shop.all(taskNamed(id).run) && shop.all(taskNamed(id).checks)).toBe(true)
    shop.commit()
    return id
  })
  // Whichever comes second conflicts, and its own repair brings it in.
  for (const [first = "", second = ""] of [branches, branches.toReversed()]) {
    shop.git("checkout", "--quiet", "-B", "integration", first)
    expect(shop.exec(["git", "merge", "--quiet", second]).success).toBe(false)
    shop.git("merge", "--abort")
    const env = { TEAMWORK_FIX_HEAD: shop.git("rev-parse", second) }
    expect(shop.all(taskNamed(second).repair, env)).toBe(true)
    expect(shop.git("status", "--porcelain")).toBe("")
    expect(shop.all([...taskNamed(first).checks, ...taskNamed(second).checks])).toBe(true)
    expect(readFileSync(join(shop.folder, "README.md"), "utf8")).not.toMatch(/^[<=>]{7}/m)
    shop.git("merge-base", "--is-ancestor", second, "HEAD")
  }
})

it("the shop: is not set up over anything", () => {
  using shop = makeShop()
  mkdirSync(shop.folder)
  writeFileSync(join(shop.folder, "mine.txt"), "")
  const { success, output } = shop.exec(["sh", join(SHOP, "../setup.sh"), "shop", shop.folder])
  expect({ success, output }).toEqual({ success: false, output: `${shop.folder} is not empty; name a new folder` })
})
