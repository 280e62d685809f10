import { expect, it } from "bun:test"
import { makeRefusals } from "./acp-session.ts"
import { judgeEnd } from "./judge.ts"

const told = { refusal: 'edit a.txt: "a.txt" does not belong to task 1', failure: undefined }

it("F044: tells an agent what was not permitted, and to go on", () => {
  const note = makeRefusals().noteFor("end_turn", told)
  expect(note).toContain('This was not permitted: edit a.txt: "a.txt" does not belong to task 1. Do not try it again.')
})

it("does not tell it without end, and then the run ends with what was not permitted", () => {
  const refusals = makeRefusals()
  const notes = Array.from({ length: 8 }, () => refusals.noteFor("cancelled", told))
  expect(notes.map((note) => note !== undefined)).toEqual([true, true, true, true, true, false, false, false])
  const turn = { ...told, job: { answerSchema: null } as never, answer: "", isCancelled: false, now: 0 }
  expect(judgeEnd("cancelled", turn)).toMatchObject({
    reason: "permission",
    error: expect.stringContaining("a.txt"),
  })
})

it("says nothing when the agent ended for another reason", () => {
  const { noteFor } = makeRefusals()
  expect(noteFor("end_turn", { refusal: "", failure: undefined })).toBeUndefined()
  expect(noteFor("refusal", told)).toBeUndefined()
  expect(noteFor("end_turn", { ...told, failure: "the model is not reached" })).toBeUndefined()
})
