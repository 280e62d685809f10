import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { stringify } from "yaml"
import { describeField, type Fields } from "../../lib/schema.ts"
import { PLAN_TASK_FIELDS, type Plan, type PlanTask } from "../plan.ts"

export function writePlan({ tasks, ...top }: Plan, remarks: readonly string[] = []): string {
  const head = remarks.flatMap((remark) => remark.split("\n")).map((line) => `# ${line}`.trimEnd())
  const text = stringify({ ...top, tasks: tasks.map(said) }, { lineWidth: 0, nullStr: "" })
  return `${[...head, ...(head.length === 0 ? [] : [""])].map((line) => `${line}\n`).join("")}${text}`
}

/** Without defaults, in the order of the fields. */
function said(task: PlanTask): Record<string, unknown> {
  const fields: Fields = PLAN_TASK_FIELDS
  const values: Readonly<Record<string, unknown>> = { ...task }
  const entries = Object.entries(fields).map(
    ([name, field]) => [name, values[name], describeField(field).fallback] as const,
  )
  const kept = entries.filter(([, value, fallback]) => isSaid(value) && !Bun.deepEquals(value, fallback))
  return Object.fromEntries(kept.map(([name, value]) => [name, value]))
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== false && value !== ""
}

/** In the home folder, to apply or change it later. */
export function keepPlan(home: string, name: string, plan: Plan): string {
  const folder = join(home, "plans")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${name}.yml`)
  writeFileSync(file, writePlan(plan), { mode: 0o600 })
  return file
}
