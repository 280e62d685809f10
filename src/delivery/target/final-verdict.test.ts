import { describe, expect, it } from "bun:test"
import type { Verdict } from "../../quality/verdict.ts"
import { whyNotGreen } from "./final-verdict.ts"

const [COMMIT, TREE, OTHER] = ["a".repeat(40), "b".repeat(40), "c".repeat(40)]
const merges = { tree: async () => TREE }

const WHOLE = { commit: COMMIT, isPartial: false }

describe("whether a commit may be delivered", () => {
  it.each([
    ["names the commit", { commit: COMMIT, tree: OTHER }],
    ["names the same files", { commit: OTHER, tree: TREE }],
    ["has a check that names the commit", { checks: [{ name: "commit", status: "passed", evidence: ` ${COMMIT}\n` }] }],
    ["has a check that names the same files", { checks: [{ name: "commit", status: "passed", evidence: TREE }] }],
  ] as const)("yes, when the last final verdict passed and %s", async (_, about) => {
    expect(await whyNotGreen(merges, [verdict({ status: "failed" }), verdict(about)], WHOLE)).toBeUndefined()
  })

  it.each([
    ["there is none", [], "has not looked at"],
    ["it is of another scope", [verdict({ scope: "wave", commit: COMMIT } as never)], "has not looked at"],
    ["it was skipped", [verdict({ status: "skipped", commit: COMMIT } as never)], "has not looked at"],
    ["it failed since", [verdict({ commit: COMMIT } as never), verdict({ status: "failed" })], "the final gate failed"],
    ["it names no commit", [verdict({})], "does not say of which commit"],
    ["it names another", [verdict({ commit: OTHER, tree: OTHER } as never)], "was of cccccccccc, not of aaaaaaaaaa"],
    [
      "the check that names it failed",
      [verdict({ checks: [{ name: "commit", status: "failed", evidence: COMMIT }] })],
      "does not say",
    ],
  ] as const)("no, when %s", async (_, verdicts, reason) => {
    expect((await whyNotGreen(merges, verdicts, WHOLE))?.why).toContain(reason)
  })
})

function verdict(given: Partial<Verdict> & { commit?: string; tree?: string }): Verdict {
  const rest = { checks: [], issues: [], by: "gate", timestamp: "" }
  return { scope: "final", subject: null, status: "passed", ...rest, ...given }
}
