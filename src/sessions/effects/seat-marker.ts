import { existsSync, readdirSync, readFileSync } from "node:fs"

/**
 * A file for each session that has joined, so that the hooks of all others, most of them, are answered without opening
 * the store. What holds is in the store; this only tells where to look.
 */
export interface SeatMarker {
  readonly project: string
  readonly team: string
  /** What is looked at before a tool is used: all tools of a lead that does nothing itself, else those that write. */
  readonly guards?: "all" | "writes"
  /** When it joined, by the store's clock. */
  readonly joinedAt?: string
  /** Where it joined, by which its repository is known. */
  readonly folder?: string
  /** See `markedStore`. */
  readonly store?: string
}

/**
 * The address of a store as a marker has it, so that hooks find the store that was joined in whatever is set meanwhile. One
 * that may have a password in it is written down only where nothing else tells it.
 */
export function markedStore(address: string, flag: string | undefined): string | undefined {
  return address.startsWith("sqlite:") ? address : flag
}

export async function writeMarker(home: string, terminalId: string, marker: SeatMarker): Promise<void> {
  const { mkdir, rename, writeFile } = await import("node:fs/promises")
  await mkdir(`${home}/seats`, { recursive: true, mode: 0o700 })
  // Whole or not at all, under a name that no session has. An address may have a password in it.
  const unfinished = pathOf(home, `.${terminalId}`)
  await writeFile(unfinished, JSON.stringify(marker), { mode: 0o600 })
  await rename(unfinished, pathOf(home, terminalId))
}

/** Undefined for a session that has not joined. Asked at every use of a tool, so it loads nothing else. */
export function readMarker(home: string, terminalId: string): SeatMarker | undefined {
  if (!isFileName(terminalId)) return undefined
  const path = pathOf(home, terminalId)
  // Asking first: for most there is none, and an error takes longer.
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined
}

/** Whether a session has joined, also where its marker cannot be read. Without a session, whether any has. */
export function hasMarker(home: string, terminalId: string): boolean {
  if (terminalId !== "") return isFileName(terminalId) && existsSync(pathOf(home, terminalId))
  const folder = `${home}/seats`
  return existsSync(folder) && readdirSync(folder).length > 0
}

export async function removeMarker(home: string, terminalId: string): Promise<void> {
  if (!isFileName(terminalId)) return
  const { rm } = await import("node:fs/promises")
  await rm(pathOf(home, terminalId), { force: true })
}

/** What an agent program says of its session is a name of ours, or none at all. */
function isFileName(terminalId: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(terminalId)
}

function pathOf(home: string, terminalId: string): string {
  return `${home}/seats/${terminalId}`
}
