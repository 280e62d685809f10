import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { AgentProgram } from "../../src/agents/program.ts"

const FIXTURES = join(import.meta.dir, "../../test/fixtures")

export interface Conversation {
  /** What has to be said before work begins. */
  readonly opening: readonly string[]
  readonly lines: readonly string[]
}

/**
 * One long run of a program, of at least `count` lines: what its recordings say, again and again. Ids are new each time,
 * as in a run, since a translator that has seen an id before has less to do.
 */
export function readConversation({ name }: AgentProgram, count: number): Conversation {
  const { opening, lines } = name === "acp" ? readAcp() : { opening: [], lines: readPlain(name) }
  const passes = Math.ceil(count / lines.length)
  return {
    opening,
    lines: Array.from({ length: passes }, (_, pass) => lines.map((line) => renewIds(line, pass))).flat(),
  }
}

const IDS = /"(?:id|tool_id|tool_use_id|callID|messageID|toolCallId|messageId)":"[^"]+/g

function renewIds(line: string, pass: number): string {
  return line.replaceAll(IDS, (id) => `${id}${pass}`)
}

function readPlain(name: string): string[] {
  return readLines("agent-streams", (file) => file.startsWith(name)).filter((line) => line.startsWith("{"))
}

/** The recordings of ACP name the question that is answered instead of its id, so what was on the wire is made of them. */
function readAcp(): Conversation {
  const sessionId = "7ecddd51-e8a2-4a49-a7ec-0ea31d081c1e"
  const answers = [{ protocolVersion: 1, agentCapabilities: {} }, { sessionId }]
  const opening = answers.map((result, id) => encode({ id, result }))
  const entries = readLines("acp-streams", () => true).map((line) => JSON.parse(line))
  const lines = entries.flatMap(({ dir, method, params, update }) => {
    if (dir === "update") return [encode({ method: "session/update", params: { sessionId, update } })]
    return method === "session/request_permission" ? [encode({ id: 77, method, params })] : []
  })
  return { opening, lines }
}

function encode(message: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message })
}

function readLines(folder: string, isWanted: (file: string) => boolean): string[] {
  const files = readdirSync(join(FIXTURES, folder)).filter(isWanted)
  return files.flatMap((file) =>
    readFileSync(join(FIXTURES, folder, file), "utf8")
      .trimEnd()
      .split("\n"),
  )
}
