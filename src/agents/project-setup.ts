import { parseTable, parseToml, type Table, tableIn } from "./account.ts"
import type { ProgramFacts, ServerFile } from "./program-facts.ts"

/** Instructions for agents, by the names that the programs gave them; the first that is there is the project's. */
const INSTRUCTIONS = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"] as const

type Has = (path: string) => boolean

/** The file with the project's instructions, from its folder: one of `preferred`, else that of another program. */
export function findInstructions(workspace: string, preferred: readonly string[], has: Has): string | undefined {
  return [...preferred, ...INSTRUCTIONS].find((name) => has(`${workspace}/${name}`))
}

/** An MCP server that the files of a project name, as its program writes it down. */
export interface ProjectServer {
  readonly name: string
  readonly server: Table
  /** The file that names it. */
  readonly from: string
}

export function serversIn({ path, key }: ServerFile, text: string | undefined): ProjectServer[] {
  const table = path.endsWith(".toml") ? parseToml(text) : parseTable(text)
  return Object.entries(tableIn(table, key)).flatMap(([name, server]) =>
    typeof server === "object" && server !== null ? [{ name, server: server as Table, from: path }] : [],
  )
}

interface Reading {
  readonly workspace: string
  readonly read: (path: string) => string | undefined
  readonly isAgreed: (program: ServerProgram) => boolean
}

/** The project's own servers for a program: those that a person agreed to, word for word. */
export function agreedServers(
  { serverFiles }: ProgramFacts,
  { workspace, read, isAgreed }: Reading,
): Record<string, Table> {
  const found = serverFiles.flatMap((file) => serversIn(file, read(`${workspace}/${file.path}`)))
  return Object.fromEntries(
    found.filter((each) => isAgreed(serverProgram(each))).map(({ name, server }) => [name, server]),
  )
}

/** As it is shown to a person who is asked to agree to it. */
export interface ServerProgram {
  readonly what: string
  readonly line: string
  readonly from: string
  /** Everything else that it says: variables, headers. */
  readonly script?: string
}

export function serverProgram({ name, server, from }: ProjectServer): ServerProgram {
  const { command, args, url, httpUrl, ...rest } = server
  const words = [command, args].flat().filter((word) => typeof word === "string")
  const line = words.length > 0 ? words.join(" ") : String(url ?? httpUrl ?? "")
  // The words alone do not say where one ends.
  const more = { ...(words.some((word) => /\s/.test(word)) ? { command, args } : {}), ...rest }
  const script = Object.keys(more).length === 0 ? {} : { script: JSON.stringify(more) }
  return { what: `MCP server ${name} of agents`, line, from, ...script }
}
