import { expect, it } from "bun:test"
import type { TeamStatus } from "../kernel/team.ts"
import { type CompletionAction, completionAction } from "./completion.ts"

it.each<[CompletionAction, TeamStatus, string | null, string[]]>([
  ["interactive", "active", null, []],
  ["interactive", "completed", null, []],
  ["interactive", "paused", "out of money", []],
  ["keep", "paused", "kept for later: the disk is full", []],
  ["archive", "completed", null, ["completion/archive.md"]],
  ["export", "completed", null, ["completion/archive.md", "completion/export.md"]],
  ["interactive", "active", null, ["completion/archive.md"]],
])("%s was done with a team that is %s (%j) and has %j", (action, status, pauseReason, paths) => {
  expect(completionAction({ team: { status, pauseReason }, documents: paths.map((path) => ({ path })) })).toBe(action)
})
