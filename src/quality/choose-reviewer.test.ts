import { describe, expect, it } from "bun:test"
import { chooseReviewer } from "./choose-reviewer.ts"

const ALL = ["claude", "codex", "gemini", "opencode", "acp", "script"]
const choose = (done: Record<string, number>, agents = ALL, isRequired = false) => {
  const choice = chooseReviewer({ done: new Map(Object.entries(done)), agents, isRequired })
  return "why" in choice ? choice.why : choice.candidates.join(" ")
}

describe("the reviewer", () => {
  it("is of another program than the one that did the work, where there is one", () => {
    expect(choose({ claude: 5 })).toBe("codex gemini opencode acp claude")
    expect(choose({ codex: 5 })).toBe("claude gemini opencode acp codex")
    expect(choose({ gemini: 5 })).toBe("codex claude opencode acp gemini")
    expect(choose({ claude: 5, script: 3, codex: 0 })).toBe("codex gemini opencode acp claude")
  })

  it("F036: is a fresh session of the same program where that is the only one", () => {
    expect(choose({ claude: 5 }, ["claude", "script"])).toBe("claude")
    expect(choose({ opencode: 5 }, ["opencode"])).toBe("opencode")
    expect(choose({ acp: 5 }, ["acp", "script"])).toBe("acp")
  })

  it("counts two accounts of a program as one", () => {
    expect(choose({ "claude@work": 5 }, ["claude", "claude@work", "gemini"])).toBe("gemini claude claude@work")
  })

  it("is the program that did least of the work; one that suits reviews goes before its equals", () => {
    expect(choose({ claude: 5, codex: 2 })).toBe("gemini opencode acp codex claude")
    expect(choose({ claude: 1, codex: 2, gemini: 3 })).toBe("opencode acp claude codex gemini")
    expect(choose({ claude: 2, codex: 2, gemini: 2 })).toBe("opencode acp codex claude gemini")
    expect(choose({ acp: 4, claude: 1 })).toBe("codex gemini opencode claude acp")
  })

  it("is not chosen where only scripts worked, unless a review is required", () => {
    expect(choose({ script: 9 })).toBe("only scripts worked on it")
    expect(choose({})).toBe("no agent is known to have worked on it")
    expect(choose({ script: 9 }, ALL, true)).toBe("codex claude gemini opencode acp")
    expect(choose({}, ["codex"], true)).toBe("codex")
    expect(choose({ script: 9 }, ["script"], true)).toBe("no agent that could review is set up here")
  })
})
