import { describe, expect, test } from "bun:test"
import { classifyError, findRetryTime } from "./classify-error.ts"

describe("an error means", () => {
  test.each([
    ["Rate limit reached for requests", 429, "rate-limited"],
    ["Overloaded", 529, "overloaded"],
    ["something", 429, "rate-limited"],
    ["RESOURCE_EXHAUSTED: Quota exceeded", null, "rate-limited"],
    ["You have hit your usage limit", null, "rate-limited"],
    ["prompt is too long: 201000 tokens > 200000 maximum", 400, "context-overflow"],
    ["This model's maximum context length is 128000 tokens", 400, "context-overflow"],
    ["Your input exceeds the context window of this model", null, "context-overflow"],
    ["The input token count exceeds the maximum number of tokens allowed", 400, "context-overflow"],
    ["context_length_exceeded", null, "context-overflow"],
    ["Your credit balance is too low", 400, "budget"],
    ["You exceeded your current quota, insufficient_quota, check your billing details", 429, "budget"],
    ["invalid x-api-key", 401, "auth"],
    ["API key not valid. Please pass a valid API key.", 400, "auth"],
    ["Not logged in · Please run /login", null, "auth"],
    ["forbidden", 403, "auth"],
    ["Output blocked by content filter", 400, "refused"],
    ["Internal server error", 500, "overloaded"],
    ["Selected model is at capacity. Please try a different model.", null, "overloaded"],
    ["The model `gpt-9` does not exist or you do not have access to it.", 404, "unknown-model"],
    [
      "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
      404,
      "unknown-model",
    ],
    ["models/x is not found for API version v1beta", 404, "unknown-model"],
    ["Model not found: fake/nope", null, "unknown-model"],
    ["Unable to connect. Is the computer able to access the url?", null, "unreachable"],
    ["error sending request for url (http://127.0.0.1:9/v1/responses)", null, "unreachable"],
    ["TypeError: fetch failed sending request", null, "unreachable"],
    ["", null, "crashed"],
  ] as const)("%s (%p): %s", (message, status, reason) => {
    expect(classifyError({ message, status, now: 0 }).reason).toBe(reason)
  })
})

describe("the time to try again in", () => {
  const NOW = 1_000_000
  test.each([
    ["Please try again in 20s.", NOW + 20_000],
    ["Please try again in 1m30s", NOW + 90_000],
    ["try again in 2 hours 5 minutes.", NOW + 125 * 60_000],
    ["try again in 350ms", NOW + 350],
    ["Please retry in 27.5s", NOW + 27_500],
    ['"retryDelay": "27s"', NOW + 27_000],
    ["retry-after: 30", NOW + 30_000],
    ["Retry after 12 seconds", NOW + 12_000],
    ["Claude AI usage limit reached|1794767466", 1_794_767_466_000],
    ["resets at 2026-11-15T18:00:00Z", Date.parse("2026-11-15T18:00:00Z")],
    ["retry-after-ms: 1500", NOW + 1500],
    ["retry-after: 30\nx-request-id: 12-34", NOW + 30_000],
    ["try again in 1 minute, 20 seconds", NOW + 80_000],
    ['"retryAfterMs": 1500', NOW + 1500],
    ["retry-after: Sun, 15 Nov 2026 18:00:00 GMT", Date.parse("2026-11-15T18:00:00Z")],
    ["You've hit your session limit · resets 3:45pm (UTC)", null],
    ["You've hit your limit · resets 15:30", null],
    ["Retrying 2/5: 429", null],
    ["Too many requests", null],
    ["Reached the limit of 5 requests", null],
  ])("%s", (message, at) => {
    expect(findRetryTime(message, NOW)).toBe(at)
  })
})
