import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Plan } from "../plan.ts"
import { writePlan } from "./write-plan.ts"

/** Writes a plan that has no document yet into the home, so that it can be applied, or changed, later. */
export function keepPlan(home: string, name: string, plan: Plan): string {
  const folder = join(home, "plans")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}.yml`)
  writeFileSync(file, writePlan(plan), { mode: 0o600 })
  return file
}
