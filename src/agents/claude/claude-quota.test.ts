import { expect, it } from "bun:test"
import { claudeQuota } from "./claude-quota.ts"

it("reads the window, the share that is used, and when it begins anew", () => {
  const info = { status: "allowed_warning", rateLimitType: "five_hour", utilization: 0.823, resetsAt: 1_794_767_466 }
  expect(claudeQuota(info)).toEqual({
    ...{ window: "5 h", usedPercent: 82.3, resetsAt: 1_794_767_466_000, status: "warning" },
  })
  expect(claudeQuota({ status: "allowed", rateLimitType: "seven_day" })).toEqual({
    ...{ window: "7 d", usedPercent: null, resetsAt: null, status: "allowed" },
  })
  expect(claudeQuota({ status: "new", rateLimitType: "a_month" })).toMatchObject({ window: "a month", status: null })
})
