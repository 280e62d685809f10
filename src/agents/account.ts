import { existsSync, readdirSync, readFileSync } from "node:fs"
import { quoteArgument } from "../lib/text/quote-argument.ts"
import type { Login, Models } from "./program-facts.ts"

/** The files of the user and of the project, as a program finds them. */
export interface Files {
  /** Undefined where there is none, or none that can be read. */
  read(path: string): string | undefined
  has(path: string): boolean
  /** Names in a folder, in order; none where there is no such folder. */
  list(folder: string): readonly string[]
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * How a program reaches its model, by the user's own variables and config files. What works in the user's terminal works
 * in a worker: logins, providers and proxies are passed on. Whatever runs programs or grants permissions is not.
 */
export interface Account {
  /** Names of variables that this account needs besides those of its program; a name may end in `*`. */
  readonly variables: readonly string[]
  /** Variables that the program would set itself from the user's files. */
  readonly env: Readonly<Record<string, string>>
  /** The parts of the user's settings that say how to reach the model, for the settings that a launch makes. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Models that the user's settings name for a provider of their own; they replace our built-in choice. */
  readonly models: Partial<Models>
  /** In words, without any secret. */
  readonly reach: string
  /** What is missing, with the way out; null when nothing is known to be. */
  readonly missing: string | null
  /** Null when it cannot be told without asking a server. */
  readonly isLoggedIn: boolean | null
  /** What the user set up for all projects; reaches a worker only where a setting asks for it. */
  readonly own: UserExtras
}

export interface UserExtras {
  /** Files with instructions. */
  readonly instructions: readonly string[]
  /** Folders of skills. */
  readonly skills: readonly string[]
  /** MCP servers in the program's own form. */
  readonly servers: Readonly<Record<string, unknown>>
}

export const NO_EXTRAS: UserExtras = { instructions: [], skills: [], servers: {} }

/** Of a program that needs none, or that alone knows. */
export const NO_ACCOUNT: Account = {
  ...{ variables: [], env: {}, settings: {}, models: {}, reach: "", missing: null, isLoggedIn: true, own: NO_EXTRAS },
}

/** A profile has a config folder of its own, and gets no keys from the variables of the terminal. */
export type ReadAccount = (env: Env, files: Files, isProfile?: boolean) => Account

/** What a person types to log in; `profileFolder` is null for the program's own account. */
export function adviseLogin(login: Login, profileFolder: string | null, env: Env): string {
  const { command, step = "", key, folderVariable } = login
  if (profileFolder === null) return `nobody is logged in; run ${command}${step}, or set ${key}`
  return `nobody is logged in; run: ${folderVariable}=${typedPath(profileFolder, env)} ${command}${step}`
}

/** A shell reads no `~` in quotes. */
function typedPath(path: string, env: Env): string {
  const isPlain = quoteArgument(path) === path
  return isPlain ? underHome(path, env) : quoteArgument(path)
}

export const diskFiles: Files = {
  read(path) {
    try {
      return readFileSync(path, "utf8")
    } catch {
      return undefined
    }
  },
  has: existsSync,
  list(folder) {
    try {
      return readdirSync(folder).sort()
    } catch {
      return []
    }
  },
}

export type Table = Readonly<Record<string, unknown>>

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A part of a table that is a table itself; empty where it is not. */
export function tableIn(table: Table, key: string): Table {
  const value = table[key]
  return isTable(value) ? value : {}
}

/** JSON with comments and trailing commas, as these programs take it; empty where it is not that. */
export function readTable(files: Pick<Files, "read">, path: string): Table {
  return parseTable(files.read(path))
}

export function parseTable(text: string | undefined): Table {
  if (text === undefined) return {}
  try {
    const value: unknown = Bun.JSONC.parse(text)
    return isTable(value) ? value : {}
  } catch {
    // The program cannot read it either, and says so.
    return {}
  }
}

export function parseToml(text: string | undefined): Table {
  try {
    const value: unknown = text === undefined ? {} : Bun.TOML.parse(text)
    return isTable(value) ? value : {}
  } catch {
    return {}
  }
}

/** What is wrong with a settings file, with the way out; null where it is fine, empty or absent. */
export function findDamage(files: Files, path: string, env: Env): string | null {
  const [kind, parse] = path.endsWith(".toml") ? ["TOML", Bun.TOML.parse] : ["JSON", Bun.JSONC.parse]
  const shown = underHome(path, env)
  const text = files.read(path)
  if (text === undefined) return files.has(path) ? `${shown} cannot be read; check its permissions` : null
  if (text.trim() === "") return null
  const where = findFault(text, (part) => void parse(part))
  return where === null ? null : `${shown} is not valid ${kind}: ${where}; mend the file`
}

/** The parser's own message may quote a key, so only the line is told. */
function findFault(text: string, parse: (part: string) => void): string | null {
  if (judgeText(text, parse) === "whole") return null
  const lines = text.split("\n")
  const line = lines.findIndex((_, index) => judgeText(lines.slice(0, index + 1).join("\n"), parse) === "wrong")
  return line === -1 ? "it ends too early, or a quote is not closed" : `line ${line + 1} is wrong`
}

function judgeText(text: string, parse: (part: string) => void): "whole" | "wrong" | "cut" {
  try {
    parse(text)
    return "whole"
  } catch (error) {
    return /end of (file|input)|unterminated/i.test(String(error)) ? "cut" : "wrong"
  }
}

export function pick(table: Table, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (table[key] === undefined ? [] : [[key, table[key]]])))
}

/** The entries that can be variables. */
export function variablesIn(table: Table): Record<string, string> {
  const isOurs = (name: string) => name.startsWith("TEAMWORK_") || name === "HOME"
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, value]) =>
      isOurs(name) || !["string", "number", "boolean"].includes(typeof value) ? [] : [[name, String(value)]],
    ),
  )
}

/** A file of lines NAME=VALUE, with quotes and comments. */
export function readDotEnv(files: Files, path: string): Record<string, string> {
  const lines = (files.read(path) ?? "").split("\n")
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name = "", value = ""] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line) ?? []
      if (name === "" || name.startsWith("TEAMWORK_")) return []
      const quoted = /^(["'])(.*)\1$/.exec(value)?.[2]
      return [[name, quoted ?? value.replace(/\s+#.*$/, "")]]
    }),
  )
}

/** As programs read a switch. */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.trim().toLowerCase())
}

/** An address without user, password and query. */
export function plainUrl(text: string): string {
  try {
    const url = new URL(text)
    return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`
  } catch {
    return "(not an address)"
  }
}

/** A path as a person writes it. */
export function underHome(path: string, env: Env): string {
  const home = env.HOME ?? ""
  return home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
