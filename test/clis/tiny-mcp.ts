// An MCP server with one tool: `team_note` writes its text to the file named by NOTE_FILE. Lines of JSON-RPC on stdio.
import { appendFileSync } from "node:fs"

const TOOL = {
  name: "team_note",
  description: "Leaves a note for the team",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
}

interface Request {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: string } }
}

for await (const line of console) {
  if (line.trim() === "") continue
  const { id, method, params }: Request = JSON.parse(line)
  // A notification wants no answer.
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer(method, params) }))
}

function answer(method: string, params: Request["params"]) {
  switch (method) {
    case "initialize": {
      const { protocolVersion = "2025-06-18" } = params ?? {}
      return {
        result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tiny", version: "1.0.0" } },
      }
    }
    case "tools/list":
      return { result: { tools: [TOOL] } }
    case "tools/call": {
      const text = params?.arguments?.text ?? ""
      appendFileSync(process.env.NOTE_FILE ?? "", `${text}\n`)
      return { result: { content: [{ type: "text", text: `noted: ${text}` }] } }
    }
    case "ping":
      return { result: {} }
    default:
      return { error: { code: -32601, message: `no method ${method}` } }
  }
}
