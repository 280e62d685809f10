import type { AgentJob } from "../../agents/port.ts"
import { estimateTokens } from "../../planning/routing.ts"
import { OUR_SERVER } from "./reach-team.ts"

/** The definitions of our MCP tools, as an agent reads them; a test holds it to what they are. */
export const TOOLS_TOKENS = 2700

/** What an agent is sent at the start of a run, and how much of it is teamwork's own words: estimates, for the report. */
export function wordsSent(
  { prompt, closingSchema, mcpServers }: AgentJob,
  ownCharacters: number,
): { readonly sent_tokens: number; readonly own_tokens: number } {
  const schema = closingSchema === undefined ? 0 : estimateTokens(JSON.stringify(closingSchema))
  const around = schema + (OUR_SERVER in mcpServers ? TOOLS_TOKENS : 0)
  return { sent_tokens: estimateTokens(prompt) + around, own_tokens: Math.ceil(ownCharacters / 4) + around }
}
