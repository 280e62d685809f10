import { expect, test } from "bun:test"
import { nearest } from "./nearest.ts"

const KEYS = ["team.maxAgents", "team.maxRestarts", "claim.leaseSeconds", "store"]

test("finds the word behind a slip", () => {
  expect(nearest("team.maxAgent", KEYS)).toBe("team.maxAgents")
  expect(nearest("team.maxagents", KEYS)).toBe("team.maxAgents")
  expect(nearest("stroe", KEYS)).toBe("store")
  expect(nearest("claim.leaseSecond", KEYS)).toBe("claim.leaseSeconds")
  expect(nearest("--jsno", ["--json", "--project", "--help"])).toBe("--json")
  expect(nearest("--hepl", ["--json", "--project", "--help"])).toBe("--help")
})

test("an exact match wins over what only looks alike", () => {
  expect(nearest("store", ["stores", "store", "stor"])).toBe("store")
})

test("of equally near candidates the first one wins", () => {
  expect(nearest("bat", ["cat", "rat"])).toBe("cat")
})

test("suggests nothing when nothing is close", () => {
  expect(nearest("banana", KEYS)).toBeUndefined()
  expect(nearest("a", ["b"])).toBeUndefined()
  expect(nearest("", KEYS)).toBeUndefined()
  expect(nearest("store", [])).toBeUndefined()
})
