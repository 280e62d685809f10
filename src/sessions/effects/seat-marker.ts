import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"

/**
 * A file for each joined session, so that hooks of all other sessions need not open the store. The store has the
 * facts; the marker only says where to look.
 */
export interface SeatMarker {
  readonly project: string
  readonly team: string
  /** The tools that hooks check: `all` for a lead in strict delegation, else the writing ones. */
  readonly guards?: "all" | "writes"
  /** By the store's clock. */
  readonly joinedAt?: string
  /** Where it joined; identifies the repository. */
  readonly folder?: string
  /** See `markedStore`. */
  readonly store?: string
}

/**
 * Lets hooks find the store even if settings change. Keeps an address that may have a password only if a flag gave
 * it.
 */
export function markedStore(address: string, flag: string | undefined): string | undefined {
  return address.startsWith("sqlite:") ? address : flag
}

export function writeMarker(home: string, terminalId: string, marker: SeatMarker): void {
  mkdirSync(`${home}/seats`, { recursive: true, mode: 0o700 })
  // Write and rename, so that readers never see half of it. It may hold a password.
  const draft = pathOf(home, `.${terminalId}`)
  writeFileSync(draft, JSON.stringify(marker), { mode: 0o600 })
  renameSync(draft, pathOf(home, terminalId))
}

/** Undefined for a session that has not joined. Hooks call it at every tool use, so it loads nothing else. */
export function readMarker(home: string, terminalId: string): SeatMarker | undefined {
  if (!isFileName(terminalId)) return undefined
  const path = pathOf(home, terminalId)
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined
}

/** Also true for an unreadable marker. Without a session: whether any has joined. */
export function hasMarker(home: string, terminalId: string): boolean {
  if (terminalId !== "") return isFileName(terminalId) && existsSync(pathOf(home, terminalId))
  const folder = `${home}/seats`
  return existsSync(folder) && readdirSync(folder).length > 0
}

export function removeMarker(home: string, terminalId: string): void {
  if (isFileName(terminalId)) rmSync(pathOf(home, terminalId), { force: true })
}

/** An agent program may send any text as session id. */
function isFileName(terminalId: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(terminalId)
}

function pathOf(home: string, terminalId: string): string {
  return `${home}/seats/${terminalId}`
}
