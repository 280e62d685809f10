import { expect, it } from "bun:test"
import { liveLines } from "./live-lines.ts"

const AT = 0

it("F049: shows what an agent says, line by line, and each tool in one line", () => {
  expect(liveLines("claude", { at: AT, kind: "text", text: "First.\n\nSecond.\n" })).toEqual([
    "claude: First.",
    "  ",
    "  Second.",
  ])
  const tool = { at: AT, kind: "tool", name: "Bash", files: [], input: '{"command":"npm test","timeout":1}' } as const
  expect(liveLines("claude", tool)).toEqual(["claude -> Bash: npm test"])
  expect(liveLines("codex", { ...tool, name: "Edit", files: ["a.ts", "b.ts"] })).toEqual(["codex -> Edit: a.ts +1"])
  expect(liveLines("codex", { ...tool, input: "" })).toEqual(["codex -> Bash"])
})

it("F049: leaves out what nobody follows, and what would change the screen", () => {
  expect(liveLines("claude", { at: AT, kind: "reasoning", text: "hm" })).toEqual([])
  expect(liveLines("claude", { at: AT, kind: "result", ok: true, output: "fine" })).toEqual([])
  expect(liveLines("claude", { at: AT, kind: "text", text: " \n" })).toEqual([])
  const evil = "\u001b[2Ja"
  const lines = [
    ...liveLines("claude", { at: AT, kind: "text", text: evil }),
    ...liveLines("claude", { at: AT, kind: "tool", name: evil, files: [evil], input: "" }),
  ]
  expect(lines.join("")).not.toContain("\u001b")
})
