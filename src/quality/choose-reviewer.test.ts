import { describe, expect, it } from "bun:test"
import { chooseReviewer } from "./choose-reviewer.ts"

const choose = (done: Record<string, number>) => chooseReviewer(new Map(Object.entries(done)))

describe("the reviewer", () => {
  it("is another than the only agent that was at work", () => {
    expect(choose({ claude: 5 })).toEqual({ candidates: ["codex"] })
    expect(choose({ codex: 5 })).toEqual({ candidates: ["gemini"] })
    expect(choose({ gemini: 5 })).toEqual({ candidates: ["codex"] })
    expect(choose({ claude: 5, script: 3, codex: 0 })).toEqual({ candidates: ["codex"] })
  })

  it("is whoever did least where several were at work, the first of them where they did equally much", () => {
    expect(choose({ claude: 5, codex: 2 })).toEqual({ candidates: ["gemini", "codex", "claude"] })
    expect(choose({ claude: 1, codex: 2, gemini: 3 })).toEqual({ candidates: ["claude", "codex", "gemini"] })
    expect(choose({ claude: 2, codex: 2, gemini: 2 })).toEqual({ candidates: ["claude", "codex", "gemini"] })
  })

  it("is one of the three also for the work of others", () => {
    expect(choose({ opencode: 4 })).toEqual({ candidates: ["claude", "codex", "gemini"] })
    expect(choose({ acp: 4, claude: 1 })).toEqual({ candidates: ["codex", "gemini", "claude"] })
  })

  it("is nobody where only scripts worked, or nobody did", () => {
    expect(choose({ script: 9 })).toEqual({ why: "only scripts worked on it" })
    expect(choose({})).toEqual({ why: "no agent is known to have worked on it" })
  })
})
