import { existsSync, readdirSync, readFileSync } from "node:fs"
import { quoteArgument } from "../lib/text/quote-argument.ts"
import type { Login, Models } from "./program-facts.ts"

export interface Files {
  /** Undefined for a file that is missing or unreadable. */
  read(path: string): string | undefined
  has(path: string): boolean
  /** Sorted names; empty for a missing folder. */
  list(folder: string): readonly string[]
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * How a program reaches its model: logins, providers and proxies as in the user's terminal. Settings that run
 * programs or grant permissions are not passed on.
 */
export interface Account {
  /** Besides those of the program; a name may end in `*`. */
  readonly variables: readonly string[]
  /** Variables that the program would read from the user's files. */
  readonly env: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, unknown>>
  /** Of the user's own provider; they replace our built-in choice. */
  readonly models: Partial<Models>
  readonly reach: string
  /** With advice for the user; null for nothing. */
  readonly missing: string | null
  /** Null when only a server knows. */
  readonly isLoggedIn: boolean | null
  /** For all projects of the user; an agent gets it only by a setting. */
  readonly own: UserExtras
}

export interface UserExtras {
  readonly instructions: readonly string[]
  readonly skills: readonly string[]
  /** MCP servers in the program's own form. */
  readonly servers: Readonly<Record<string, unknown>>
}

export const NO_EXTRAS: UserExtras = { instructions: [], skills: [], servers: {} }

/** For a program that needs no login, or checks it itself. */
export const NO_ACCOUNT: Account = {
  variables: [],
  env: {},
  settings: {},
  models: {},
  reach: "",
  missing: null,
  isLoggedIn: true,
  own: NO_EXTRAS,
}

/** A profile has its own config folder, and gets no keys from the terminal. */
export type ReadAccount = (env: Env, files: Files, isProfile?: boolean) => Account

/** `profileFolder` is null for the program's own account. */
export function adviseLogin(login: Login, profileFolder: string | null, env: Env): string {
  const { command, step = "", key, folderVariable } = login
  if (profileFolder === null) return `not logged in; run ${command}${step}, or set ${key}`
  return `not logged in; run: ${folderVariable}=${typedPath(profileFolder, env)} ${command}${step}`
}

/** A shell does not expand `~` in quotes. */
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

export function tableIn(table: Table, key: string): Table {
  const value = table[key]
  return isTable(value) ? value : {}
}

/** Accepts comments and trailing commas; empty when invalid. */
export function readTable(files: Pick<Files, "read">, path: string): Table {
  return parseTable(files.read(path))
}

export function parseTable(text: string | undefined): Table {
  if (text === undefined) return {}
  try {
    const value: unknown = Bun.JSONC.parse(text)
    return isTable(value) ? value : {}
  } catch {
    // The program reports it.
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

/** With advice for the user; null for a valid, empty or missing file. */
export function findDamage(files: Files, path: string, env: Env): string | null {
  const [kind, parse] = path.endsWith(".toml") ? ["TOML", Bun.TOML.parse] : ["JSON", Bun.JSONC.parse]
  const shown = underHome(path, env)
  const text = files.read(path)
  if (text === undefined) return files.has(path) ? `${shown} cannot be read; check its permissions` : null
  if (text.trim() === "") return null
  const where = findFault(text, (part) => void parse(part))
  return where === null ? null : `${shown} is not valid ${kind}: ${where}; correct the file`
}

/** The parser's message may quote a key, so only the line is shown. */
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

export function variablesIn(table: Table): Record<string, string> {
  const isOurs = (name: string) => name.startsWith("TEAMWORK_") || name === "HOME"
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, value]) =>
      isOurs(name) || !["string", "number", "boolean"].includes(typeof value) ? [] : [[name, String(value)]],
    ),
  )
}

/** Lines NAME=VALUE, with quotes and comments. */
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

export function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.trim().toLowerCase())
}

export function plainUrl(text: string): string {
  try {
    const url = new URL(text)
    return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`
  } catch {
    return "(not an address)"
  }
}

export function underHome(path: string, env: Env): string {
  const home = env.HOME ?? ""
  return home !== "" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path
}
