import { describe, expect, it } from "bun:test"
import { splitArguments } from "./split-arguments.ts"

describe("splitArguments", () => {
  it.each([
    ["gemini --acp", ["gemini", "--acp"]],
    ["  a\t b\n", ["a", "b"]],
    [`'/opt/my agent/run' --x "a b"`, ["/opt/my agent/run", "--x", "a b"]],
    [String.raw`/opt/my\ agent a"b"'c'`, ["/opt/my agent", "abc"]],
    [String.raw`"say \"it\" \n" 'a\b' ""`, [String.raw`say "it" \n`, String.raw`a\b`, ""]],
    ["", []],
  ])("splits %p as a shell does", (line, words) => {
    expect(splitArguments(line)).toEqual(words)
    const shell = Bun.spawnSync(["sh", "-c", `for word in ${line.trim()}; do printf '%s\\0' "$word"; done`])
    expect(shell.stdout.toString().split("\0").slice(0, -1)).toEqual(words)
  })

  it("gives nothing where a quote does not end", () => {
    expect(splitArguments(`gemini "--acp`)).toBeUndefined()
  })
})
