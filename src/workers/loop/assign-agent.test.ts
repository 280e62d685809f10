import { expect, it } from "bun:test"
import { remedyFor } from "../../agents/heal-agent.ts"
import { explainNoAgent } from "./assign-agent.ts"

it("F041: names how each agent ended, and the command that helps", () => {
  const why = explainNoAgent(
    [
      { agent: "claude@work", kind: "auth", error: "HTTP 401, authentication failed\nmore" },
      { agent: "codex", kind: "context-overflow", error: "prompt is too long" },
    ],
    [
      { agent: "codex", because: "it cannot be had" },
      { agent: "gemini", because: "it is not available: gemini is not installed" },
    ],
  )
  expect(why).toBe(
    "claude@work ended with auth (HTTP 401, authentication failed); log in with: CLAUDE_CONFIG_DIR=FOLDER claude auth login (FOLDER is that of: teamwork config get agents.claude.profiles). " +
      "codex ended with context-overflow (prompt is too long); split the task, or let an agent with a larger context take it: teamwork route. " +
      "gemini: it is not available: gemini is not installed",
  )
  expect(explainNoAgent([], [])).toBe("no agent is installed")
})

it("has no command for what a person cannot help", () => {
  expect(remedyFor("codex@work", "auth")).toContain("log in with: CODEX_HOME=FOLDER codex login (")
  expect(remedyFor("codex", "crashed")).toBeUndefined()
  expect(remedyFor("codex", "unknown-model")).toContain("teamwork config set agents.codex.model.sonnet NAME")
})
