import { expect, it } from "bun:test"
import { chooseRoute } from "../domain/routing.ts"
import { renderRoute, routeFacts } from "./route.ts"

const unavailable = { claude: "not installed", codex: "not logged in", gemini: "no key" }

it("says so when agents were only assumed to be there, and else does not", () => {
  expect(renderRoute(chooseRoute({ text: "Fix the API" }), false)).toEndWith(
    "\n\nAll agents are assumed to be available.",
  )
  expect(renderRoute(chooseRoute({ text: "Fix the API", unavailable: {} }), false)).toBe(
    "Domain      backend\nComplexity  0, simple\nAgent       codex as executor\nModel       haiku",
  )
})

it("shows that no agent is left, and why", () => {
  const route = chooseRoute({ text: "Fix the API", unavailable })
  expect(routeFacts(route, true)).toMatchObject({
    agent: null,
    availability: "known",
    because: expect.arrayContaining(["codex was passed over: it is not available: not logged in"]),
  })
  expect(renderRoute(route, true)).toContain("\nAgent       none as executor\n")
})

it("keeps every line of what it quotes harmless", () => {
  const lines = renderRoute(chooseRoute({ text: "Fix src/a\u001b[31m.ts and src/b.ts" }), true)
  expect(lines).not.toContain("\u001b")
})
