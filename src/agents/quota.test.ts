import { expect, it } from "bun:test"
import { currentWindows, isScarce, type QuotaWindow, renderQuota } from "./quota.ts"

const window = (more: Partial<QuotaWindow> = {}): QuotaWindow => ({
  ...{ window: "5 h", usedPercent: 82, resetsAt: 1000, status: null, ...more },
})

it("is scarce from a share on, or where the program warns", () => {
  expect(isScarce([window()], 80)).toBe(true)
  expect(isScarce([window()], 83)).toBe(false)
  expect(isScarce([window({ usedPercent: null, status: "warning" })], 80)).toBe(true)
  expect(isScarce([window({ usedPercent: 100 })], 0)).toBe(false)
})

it("says nothing of a window that began anew, and the fullest first", () => {
  const windows = [window({ window: "7 d", usedPercent: 10, resetsAt: null }), window()]
  expect(currentWindows({ agent: "codex", notedAt: 0, windows }, 2000)).toHaveLength(1)
  expect(renderQuota(windows, () => "14:05")).toBe("82 % of 5 h window, resets 14:05; 10 % of 7 d window")
  expect(renderQuota([window({ usedPercent: null, status: "allowed", resetsAt: null })], String)).toBe(
    "allowed of 5 h window",
  )
})
