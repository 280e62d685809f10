import { fromOperation } from "../../app/command.ts"
import type { Screen } from "../../lib/text/table.ts"
import type { Evidence } from "../evidence.ts"
import { addEvidence, listEvidence, withdrawEvidence } from "../operations/record-evidence.ts"

/** Loaded for people only. */
const text = async (entries: readonly Evidence[], screen: Screen) =>
  (await import("../views/task-view.ts")).renderEvidence(entries, screen)

export const evidenceAdd = fromOperation(addEvidence, {
  positional: ["id"],
  example: 'teamwork evidence add 3 --owner w1 --add-evidence "12 tests pass"',
  data: ({ evidence }) => evidence,
  text: ({ evidence }, screen) => text(evidence, screen),
})

export const evidenceList = fromOperation(listEvidence, {
  positional: ["id"],
  example: "teamwork evidence list 3",
  text,
})

export const evidenceWithdraw = fromOperation(withdrawEvidence, {
  positional: ["id", "number"],
  example: "teamwork evidence withdraw 3 1 --owner w1",
  text,
})
