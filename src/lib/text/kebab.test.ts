import { expect, it } from "bun:test"
import { kebab } from "./kebab.ts"

it("is how a name is written as a flag", () => {
  expect(kebab("addBlockedBy")).toBe("add-blocked-by")
  expect(kebab("id")).toBe("id")
})
