import { expect, it } from "bun:test"
import { owning } from "../support/agents.ts"
import { cliSuite } from "./cli.suite.ts"
import { FAKE_KEY, makeWorld, NO_FILE, readIn } from "./cli-world.ts"
import { canSandbox } from "./codex-sandbox.ts"
import { ownershipSuite } from "./ownership.suite.ts"
import { CODEX } from "./programs.ts"

function addFile(path: string, text: string): string {
  const lines = text.trimEnd().split("\n")
  return patch(`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)).input
}

function patch(...lines: string[]) {
  return { name: "apply_patch", input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }
}

const ALLOW = { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } }

cliSuite(CODEX)
// Without a sandbox it writes nothing at all.
if (canSandbox())
  ownershipSuite(CODEX, {
    denied: [
      patch("*** Add File: src/both.txt", "+x", "*** Add File: both.txt", "+x"),
      patch("*** Delete File: greeting.txt"),
      patch("*** Update File: greeting.txt", "*** Move to: src/greeting.txt", "@@", "-good day", "+good night"),
      patch("*** Update File: src/mine.txt", "*** Move to: moved.txt", "@@", "-good day", "+good night"),
      { name: "exec_command", input: { cmd: `apply_patch <<'EOF'\n${addFile("src/shell.txt", "x")}\nEOF` } },
    ],
    allowed: [patch("*** Update File: src/mine.txt", "*** Move to: src/moved.txt", "@@", "-good day", "+good night")],
    allowing: ALLOW,
  })

it("codex writes only what is its own, also by the scripts in which newer models use tools", async () => {
  const script = (path: string) => ({
    tool: { name: "exec", input: `await tools.apply_patch(${JSON.stringify(addFile(path, "x"))})` },
  })
  await using world = makeWorld(CODEX, { edit: [script("other.txt"), script("src/mine.txt"), { text: "over" }] })
  const { result } = await world.run({ prompt: "[[edit]]", model: "gpt-6-sol", ownership: owning("src/**") })
  expect(result).toMatchObject({ reason: "done", answer: "over", filesTouched: ["src/mine.txt"] })
  expect(readIn(world, "src/mine.txt")).toBe("x\n")
  expect(readIn(world, "other.txt")).toBe(NO_FILE)
})

it("codex takes the key of OpenAI although it does not know the variable", async () => {
  const enough = new AbortController()
  const keys = new Set<string | null>()
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ headers }) {
      keys.add(headers.get("authorization"))
      enough.abort()
      return new Response(null, { status: 401 })
    },
  })
  await using world = makeWorld({ ...CODEX, settings: () => ({ openai_base_url: `${server.url}v1` }) }, {})
  const { result } = await world.run({ prompt: "hello" }, { signal: enough.signal })
  expect({ reason: result.reason, keys: [...keys] }).toEqual({ reason: "cancelled", keys: [`Bearer ${FAKE_KEY}`] })
})
