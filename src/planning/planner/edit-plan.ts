import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import type { CheckedPlan, PlanFacts } from "../check-plan.ts"
import type { Plan } from "../plan.ts"
import { loadPlan } from "./load-plan.ts"
import { writePlan } from "./write-plan.ts"

const HOW = [
  "Change the plan, save, and close the editor. See docs/plans.md for the fields.",
  "An empty file leaves the plan as it was.",
]
const REMARK = /^#.*\n?/gm

/**
 * A wrong plan comes back with its problems on top, until it is right, unchanged or empty. Undefined if it is
 * empty.
 */
export async function editPlan(
  plan: Plan,
  facts: PlanFacts,
  openEditor: (file: string) => Promise<number>,
): Promise<Omit<CheckedPlan, "problems"> | undefined> {
  const folder = mkdtempSync(join(tmpdir(), "teamwork-plan-"))
  const file = join(folder, "plan.yml")
  try {
    let text = writePlan(plan, HOW)
    for (;;) {
      writeFileSync(file, text, { mode: 0o600 })
      const exitCode = await openEditor(file)
      if (exitCode !== 0)
        throw new AppError("usage", `the editor ended with exit code ${exitCode}; nothing was changed`)
      const edited = readFileSync(file, "utf8")
      if (edited.replaceAll(REMARK, "").trim() === "") return undefined
      try {
        return await loadPlan({ name: "plan.yml", text: edited }, facts)
      } catch (error) {
        if (!(error instanceof AppError && error.code === "plan.invalid") || edited === text) throw error
        text = withRemarks(edited, error)
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Replaces earlier problems. Counts lines in the new text. */
function withRemarks(edited: string, error: AppError): string {
  const body = edited.replace(/^(?:#.*\n)*\n?/, "")
  const before = edited.split("\n").length - body.split("\n").length
  const problems = error.details.problems as { line: number; column: number; field: string; message: string }[]
  const remarks = [...HOW, "", `${problems.length === 1 ? "This is" : "These are"} wrong:`]
  const after = remarks.length + problems.length + 1
  const said = problems.map(({ line, column, field, message }) => {
    const place = `line ${Math.max(1, line - before + after)}, column ${column}`
    return `  ${place}: ${field === "" ? "" : `${field}: `}${message}`.replaceAll("\n", " ")
  })
  return `${[...remarks, ...said].map((line) => `# ${line}`.trimEnd()).join("\n")}\n\n${body}`
}
