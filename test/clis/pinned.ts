import { join } from "node:path"

type Agent = "claude" | "codex" | "gemini" | "opencode"

export interface Pinned {
  /** Of the program. */
  readonly name: Agent | "claude-agent-acp" | "codex-acp" | "mcp-inspector" | "conformance"
  readonly package: string
  readonly version: string
  /** It speaks ACP for the pinned CLI of this name, and does not need the copy that it would bring along. */
  readonly bridgeTo?: Pinned["name"]
}

/** What `npm run test:clis` proves. A newer version comes in here, and with it what its tests show. */
export const PINNED: readonly Pinned[] = [
  { name: "claude", package: "@anthropic-ai/claude-code", version: "2.1.325" },
  { name: "codex", package: "@openai/codex", version: "0.166.0" },
  { name: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
  { name: "opencode", package: "opencode-ai", version: "1.18.33" },
  {
    name: "claude-agent-acp",
    package: "@agentclientprotocol/claude-agent-acp",
    version: "0.99.1",
    bridgeTo: "claude",
  },
  { name: "codex-acp", package: "@agentclientprotocol/codex-acp", version: "2.6.0", bridgeTo: "codex" },
  // No agents: they look at our MCP server as others will.
  { name: "mcp-inspector", package: "@modelcontextprotocol/inspector", version: "2.12.0" },
  { name: "conformance", package: "@modelcontextprotocol/conformance", version: "0.1.16" },
]

export function findPinned(name: string): Pinned {
  const pinned = PINNED.find((entry) => entry.name === name)
  if (pinned === undefined) throw new Error(`no version of ${name} is pinned`)
  return pinned
}

/** Each in a folder of its own, so that none sees what another brings along. */
export function installFolder(cache: string, { name, version }: Pinned): string {
  return join(cache, `${name}-${version}`)
}

export function programFile(cache: string, pinned: Pinned): string {
  return join(installFolder(cache, pinned), "node_modules/.bin", pinned.name)
}
