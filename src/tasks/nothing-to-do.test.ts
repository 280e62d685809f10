import { expect, it } from "bun:test"
import { nothingToDoResult, reasonForNothing } from "./nothing-to-do.ts"

it("F013: the reason why nothing was changed stands in the result of the task", () => {
  const result = `${nothingToDoResult("it is there")}\n\nBy script: no file changed.`
  expect(reasonForNothing(result)).toBe("it is there")
  expect(reasonForNothing("By script: 1 file changed: b.txt.")).toBeNull()
  expect(reasonForNothing(null)).toBeNull()
})
