import { expect, it } from "bun:test"
import { makeMemoryReturn } from "./return-memory.ts"

it("gives memory back at most once a second", () => {
  let [now, count] = [0, 0]
  const giveBack = makeMemoryReturn(
    () => now,
    () => count++,
  )
  for (const at of [0, 10, 999, 1000, 1500, 2000]) {
    now = at
    giveBack()
  }
  expect(count).toBe(3)
})
