import { fromOperation } from "../../app/command.ts"
import { addEvidence, listEvidence, withdrawEvidence } from "../operations/record-evidence.ts"
import { renderEvidence } from "../views/task-view.ts"

export const evidenceAdd = fromOperation(addEvidence, {
  positional: ["id"],
  example: 'teamwork evidence add 3 --owner w1 --add-evidence "12 tests pass"',
  data: ({ evidence }) => evidence,
  text: ({ evidence }, screen) => renderEvidence(evidence, screen),
})

export const evidenceList = fromOperation(listEvidence, {
  positional: ["id"],
  example: "teamwork evidence list 3",
  text: renderEvidence,
})

export const evidenceWithdraw = fromOperation(withdrawEvidence, {
  positional: ["id", "number"],
  example: "teamwork evidence withdraw 3 1 --owner w1",
  text: renderEvidence,
})
