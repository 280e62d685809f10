import type { Sandbox } from "../lib/sandbox.ts"
import { type Plan, taskOf } from "../lib/seed.ts"
import { writeTaskFile } from "./task-files.ts"

/** The same plan as `seedHome` stores, as files. Returns their folder. */
export function seedFiles(sandbox: Sandbox, plan: Plan): string {
  const folder = sandbox.folder(`files-${plan.total}`)
  const now = new Date().toISOString()
  for (let index = 0; index < plan.total; index++) {
    const { id, title, description, needs, isDone } = taskOf(plan, index)
    writeTaskFile(`${folder}/${id}.json`, {
      id,
      title,
      description,
      role: "worker",
      complexity: "standard",
      status: isDone ? "resolved" : "open",
      blocked_by: needs,
      version: 1,
      created_at: now,
      updated_at: now,
      claimed_by: null,
      claimed_at: null,
      completed_at: isDone ? now : null,
      evidence: [],
    })
  }
  return folder
}
