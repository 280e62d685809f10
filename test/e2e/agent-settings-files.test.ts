// A settings file that is broken is named, instead of "not logged in".
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { FIXTURE_AGENT } from "../support/agents.ts"
import { makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const CUT = "it ends too early, or a quote is not closed; correct the file"
const SECRET = "sk-not-a-key"

const CASES: readonly (readonly [file: string, text: string, told: string])[] = [
  [".claude/settings.json", '{\n  "env": {\n    "A": "b', `~/.claude/settings.json is not valid JSON: ${CUT}`],
  [
    ".claude/settings.json",
    `{\n  "env": { "ANTHROPIC_API_KEY": ${SECRET} }\n}`,
    "~/.claude/settings.json is not valid JSON: line 2 is wrong; correct the file",
  ],
  [
    ".codex/config.toml",
    `model = "x"\n\nkey = ${SECRET}\n`,
    "~/.codex/config.toml is not valid TOML: line 3 is wrong; correct the file",
  ],
  [
    ".codex/config.toml",
    'model_provider = "nope"\n',
    "~/.codex/config.toml names the model_provider nope and does not define it; add [model_providers.nope] or name another",
  ],
  [".gemini/settings.json", "{", `~/.gemini/settings.json is not valid JSON: ${CUT}`],
  [".config/opencode/opencode.json", '{"provider": {', `~/.config/opencode/opencode.json is not valid JSON: ${CUT}`],
]

describe("a broken settings file of an agent program", () => {
  for (const [file, text, told] of CASES) {
    it(`${file}: ${told}`, async () => {
      using bench = makeBench()
      const command = [process.execPath, FIXTURE_AGENT, "claude"]
      const programs = ["claude", "codex", "gemini", "opencode"].map((name) => [name, { command }])
      writeFileSync(join(bench.home, "config.json"), JSON.stringify({ agents: Object.fromEntries(programs) }))
      mkdirSync(dirname(join(bench.home, file)), { recursive: true })
      writeFileSync(join(bench.home, file), text)
      const env = { HOME: bench.home }
      for (const args of [["agent", "list"], ["doctor"]]) {
        const { stdout } = await bench.run([...args, "--format", "table"], { env })
        expect(stdout).toContain(told)
        expect(stdout).not.toContain(SECRET)
      }
    })
  }
})
