import { parseTable, parseToml, type Table, tableIn } from "./account.ts"
import type { AgentJob } from "./port.ts"
import type { ProgramConfig } from "./program.ts"
import type { ProgramFacts, ServerFile } from "./program-facts.ts"

const INSTRUCTIONS = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"] as const

/** One of `preferred`, else the file of another program. */
export function findInstructions(
  workspace: string,
  preferred: readonly string[],
  has: (path: string) => boolean,
): string | undefined {
  return [...preferred, ...INSTRUCTIONS].find((name) => has(`${workspace}/${name}`))
}

/** As the project's file has it. */
export interface ProjectServer {
  readonly name: string
  readonly server: Table
  readonly from: string
}

export function serversIn({ path, key }: ServerFile, text: string | undefined): ProjectServer[] {
  const table = path.endsWith(".toml") ? parseToml(text) : parseTable(text)
  return Object.entries(tableIn(table, key)).flatMap(([name, server]) =>
    typeof server === "object" && server !== null ? [{ name, server: server as Table, from: path }] : [],
  )
}

/** Word for word. */
export function agreedServers(
  { serverFiles }: ProgramFacts,
  { workspace }: AgentJob,
  { files, isAgreed }: ProgramConfig,
): Record<string, Table> {
  const found = serverFiles.flatMap((file) => serversIn(file, files.read(`${workspace}/${file.path}`)))
  return Object.fromEntries(
    found.filter((each) => isAgreed(serverProgram(each))).map(({ name, server }) => [name, server]),
  )
}

/** A person must agree to it. */
export interface ServerProgram {
  readonly what: string
  readonly line: string
  readonly from: string
  /** The rest: variables, headers. */
  readonly script?: string
}

export function serverProgram({ name, server, from }: ProjectServer): ServerProgram {
  const { command, args, url, httpUrl, ...rest } = server
  const words = [command, args].flat().filter((word) => typeof word === "string")
  const line = words.length > 0 ? words.join(" ") : String(url ?? httpUrl ?? "")
  // Words with spaces hide where one ends.
  const more = { ...(words.some((word) => /\s/.test(word)) && { command, args }), ...rest }
  const script = Object.keys(more).length > 0 && { script: JSON.stringify(more) }
  return { what: `MCP server ${name} of agents`, line, from, ...script }
}
