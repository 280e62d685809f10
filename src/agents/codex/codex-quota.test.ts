import { expect, it } from "bun:test"
import { codexQuota } from "./codex-quota.ts"

it("reads both windows, whichever way their end is told", () => {
  const primary = { used_percent: 82, window_minutes: 300, resets_at: 1_794_767_466 }
  const secondary = { used_percent: 100, window_minutes: 10_080, resets_in_seconds: 60 }
  const windows = [
    { window: "5 h", usedPercent: 82, resetsAt: 1_794_767_466_000, status: null },
    { window: "7 d", usedPercent: 100, resetsAt: 61_000, status: "rejected" },
  ] as const
  expect(codexQuota({ rate_limits: { primary, secondary } }, 1000)).toEqual([...windows])
  expect(codexQuota({ info: { rate_limits: { primary, secondary: null } } }, 1000)).toEqual([windows[0]])
  expect(codexQuota({ type: "turn.completed" }, 1000)).toBeUndefined()
})
