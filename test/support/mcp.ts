// A client of `teamwork mcp`, the official one, that starts the server as a real process in the sandbox.
import { expect } from "bun:test"
import { join } from "node:path"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { sandboxEnv } from "./sandbox.ts"

const MAIN = join(import.meta.dir, "../../src/bin/main.ts")

export type Facts = Record<string, unknown>

export interface McpOptions {
  readonly env?: Record<string, string>
  /** Speak the protocol of July 2026 instead of the one before. */
  readonly isModern?: boolean
  /** Before the connection is made, when handlers of notices must be there. */
  readonly prepare?: (client: Client) => void
}

export interface Mcp extends AsyncDisposable {
  readonly client: Client
  readonly pid: number
  /** Calls a tool that must succeed; what it answered. */
  call<T = Facts>(name: string, given?: Facts): Promise<T>
  /** Calls a tool that must be refused with this code; its message. */
  refused(code: string, name: string, given?: Facts): Promise<string>
}

export async function connectMcp(
  { home, cwd }: { readonly home: string; readonly cwd: string },
  args: readonly string[] = [],
  { env, isModern, prepare }: McpOptions = {},
): Promise<Mcp> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    isModern === true ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  )
  prepare?.(client)
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [MAIN, "mcp", ...args], cwd, stderr: "inherit" },
    env: sandboxEnv({ HOME: home, TEAMWORK_TEST_BASE_DIR: home, ...env }),
  })
  await client.connect(transport)
  const ask = (name: string, given: Facts = {}) => client.callTool({ name, arguments: given })
  return {
    client,
    pid: transport.pid ?? 0,
    async call<T>(name: string, given?: Facts) {
      const { isError, structuredContent, content } = await ask(name, given)
      expect({ name, isError: isError ?? false, content }).toMatchObject({ isError: false })
      // Clients that know no structured answers get the same as text.
      expect(JSON.parse(textOf(content))).toEqual(structuredContent as Facts)
      return structuredContent as T
    },
    async refused(code, name, given) {
      const { isError, structuredContent, content } = await ask(name, given)
      const { message, ...facts } = structuredContent as { message: string }
      expect({ name, isError, facts }).toMatchObject({ isError: true, facts: { code } })
      expect(textOf(content)).toBe(`${code}: ${message}`)
      expect(message).not.toContain("\n")
      return message
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  expect(content).toHaveLength(1)
  return content[0]?.text ?? ""
}
