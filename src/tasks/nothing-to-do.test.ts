import { describe, expect, it } from "bun:test"
import { nothingToDoResult, readNothingToDo, reasonForNothing } from "./nothing-to-do.ts"

describe("F013: NOTHING TO DO", () => {
  it.each([
    ["NOTHING TO DO: b.txt is there already", "b.txt is there already"],
    ["I looked.\n\n**NOTHING TO DO:** it holds.\nLEARNED: look first", "it holds."],
    ["- `NOTHING TO DO`: the header is right", "the header is right"],
    ["NOTHING TO DO\nThe tests cover it.", "The tests cover it."],
    ["NOTHING TO DO - it is done", "it is done"],
  ])("is read with its reason: %j", (answer, reason) => {
    expect(readNothingToDo(answer)).toBe(reason)
  })

  it.each([["NOTHING TO DO"], ["NOTHING TO DO: "], ["NOTHING TO DO: ...\nLEARNED: x"], ["NOTHING TO DO\nLEARNED: x"]])(
    "without a reason is told apart: %j",
    (answer) => {
      expect(readNothingToDo(answer)).toBe("")
    },
  )

  it.each([["There was nothing to do: I checked"], ["I would say NOTHING TO DO: no"], [""]])(
    "is not read where it does not begin a line: %j",
    (answer) => {
      expect(readNothingToDo(answer)).toBeUndefined()
    },
  )

  it("stands in the result of the task", () => {
    const result = `${nothingToDoResult("it is there")}\n\nBy script: no file changed.`
    expect(reasonForNothing(result)).toBe("it is there")
    expect(reasonForNothing("By script: 1 file changed: b.txt.")).toBeNull()
    expect(reasonForNothing(null)).toBeNull()
  })
})
