import { command, fromOperation } from "../../app/command.ts"
import { listFindings, reopenFinding, showFinding, waiveFinding } from "../operations/manage-findings.ts"
import { findingLine, renderFinding, renderFindings } from "../views/finding-view.ts"

export const findings = fromOperation(listFindings, {
  example: "teamwork findings --open",
  text: renderFindings,
})

export const findingsShow = fromOperation(showFinding, {
  positional: ["number"],
  example: "teamwork findings show 2",
  text: renderFinding,
})

const plainWaive = fromOperation(waiveFinding, {
  positional: ["number"],
  example: 'teamwork findings waive 2 --reason "Only used in tests"',
  text: findingLine,
})

export const findingsWaive = command({
  ...plainWaive,
  async run(session, input) {
    return plainWaive.run(session, input)
  },
})

const plainReopen = fromOperation(reopenFinding, {
  positional: ["number"],
  example: "teamwork findings reopen 2",
  text: findingLine,
})

export const findingsReopen = command({
  ...plainReopen,
  async run(session, input) {
    return plainReopen.run(session, input)
  },
})
