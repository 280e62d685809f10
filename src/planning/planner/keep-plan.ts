import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Plan } from "../plan.ts"
import { writePlan } from "./write-plan.ts"

/** Writes a plan without a document into the home folder, to apply or change it later. */
export function keepPlan(home: string, name: string, plan: Plan): string {
  const folder = join(home, "plans")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}.yml`)
  writeFileSync(file, writePlan(plan), { mode: 0o600 })
  return file
}
