import { expect, it } from "bun:test"
import { AppError } from "../../kernel/errors.ts"
import { Setback, setbackOf } from "./setback.ts"

it("makes a setback of what went wrong with a task or the place of its work", () => {
  const own = new Setback("gate", "no", { agent: "claude", advice: "other" })
  expect(setbackOf(own)).toBe(own)
  expect(setbackOf(new AppError("git.failed", "git broke"))).toMatchObject({ kind: "workspace", message: "git broke" })
  expect(setbackOf(new AppError("role.mismatch", "cannot"))).toMatchObject({
    kind: "not-found",
    agent: null,
    advice: null,
  })
  expect(setbackOf(Object.assign(new Error("no space left"), { code: "ENOSPC" }))).toMatchObject({ kind: "workspace" })
})

it("makes none of bugs, nor of a store that cannot be written to", () => {
  for (const error of [
    new Error("bug"),
    new TypeError("x"),
    "text",
    new AppError("store.full", "full"),
    new AppError("team.not_found", "gone"),
  ])
    expect(setbackOf(error)).toBeUndefined()
})
