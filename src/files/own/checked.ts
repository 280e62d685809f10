// Values out of foreign JSON, each checked where it is taken. Written out by hand because thousands of files are read
// this way: the checks must not cost more than the parsing.
import { isId } from "../../kernel/ids.ts"
import { isIsoTime } from "../../kernel/iso-time.ts"
import type { FileNote } from "../layouts/found-team.ts"
import type { Folder } from "./folder.ts"

/** What is wrong with a file, in words for its reader. Anything else that is thrown is a bug of ours. */
export class Problem extends Error {}

export type Json = Readonly<Record<string, unknown>>

/** Runs `take`; what is wrong with the file becomes a note, and the file is left out. */
export function orSkip<Result>(notes: FileNote[], file: string, take: () => Result): Result | undefined {
  try {
    return take()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    notes.push({ file, what: error.message })
    return undefined
  }
}

export function readBytes(folder: Folder, path: string): Uint8Array {
  try {
    return folder.read(path)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? ` (${error.code})` : ""
    throw new Problem(`cannot be read${code}`)
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new Problem("is not UTF-8 text")
  }
}

export function readObject(folder: Folder, path: string): Json {
  return parseObject(decodeText(readBytes(folder, path)))
}

export function parseObject(source: string): Json {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    throw new Problem("is not valid JSON")
  }
  return asObject(value, "")
}

function asObject(value: unknown, key: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json
  throw wrong(value, key, "an object")
}

function wrong(value: unknown, key: string, kind: string): Problem {
  if (value === undefined) return new Problem(`${key} is missing`)
  return new Problem(`${key === "" ? "" : `${key} `}is not ${kind}`)
}

export function object(from: Json, key: string): Json {
  return asObject(from[key], key)
}

/** Deeper than anybody writes by intent, and far from where writing it as JSON again would fail. */
const MAX_DEPTH = 1000

/** An object whose content is somebody else's. */
export function anyObject(from: Json, key: string): Record<string, unknown> {
  const value = object(from, key)
  if (isDeeper(value, MAX_DEPTH)) throw new Problem(`${key} is nested too deep`)
  return value
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false
  if (depth === 0) return true
  for (const inner of Object.values(value)) if (isDeeper(inner, depth - 1)) return true
  return false
}

function list(from: Json, key: string): readonly unknown[] {
  const value = from[key]
  if (Array.isArray(value)) return value
  throw wrong(value, key, "a list")
}

export function objects(from: Json, key: string): readonly Json[] {
  const values = list(from, key)
  for (const value of values) asObject(value, `an entry of ${key}`)
  return values as readonly Json[]
}

export function text(from: Json, key: string): string {
  return asText(from[key], key)
}

function asText(value: unknown, key: string): string {
  if (typeof value !== "string") throw wrong(value, key, "a text")
  if (value.includes("\0")) throw new Problem(`${key} has a NUL character`)
  return value
}

export function texts(from: Json, key: string): readonly string[] {
  const values = list(from, key)
  for (const value of values) asText(value, `an entry of ${key}`)
  return values as readonly string[]
}

export function id<Id extends string>(from: Json, key: string): Id {
  const value = text(from, key)
  if (!isId(value)) throw new Problem(`${key} is not a valid id`)
  return value as Id
}

/** Each once and in order: neither has a meaning. */
export function ids<Id extends string>(from: Json, key: string): readonly Id[] {
  const values = texts(from, key)
  if (values.length === 0) return []
  if (!values.every(isId)) throw new Problem(`an entry of ${key} is not a valid id`)
  return [...new Set(values)].sort() as Id[]
}

export function choice<const Choice extends string>(from: Json, key: string, choices: readonly Choice[]): Choice {
  const value = from[key]
  if (choices.includes(value as Choice)) return value as Choice
  throw wrong(value, key, `one of ${choices.join(", ")}`)
}

export function whole(from: Json, key: string, min: number): number {
  const value = from[key]
  if (!Number.isSafeInteger(value) || (value as number) < min) throw wrong(value, key, `a whole number from ${min} on`)
  return value as number
}

export function yesOrNo(from: Json, key: string): boolean {
  const value = from[key]
  if (typeof value !== "boolean") throw wrong(value, key, "true or false")
  return value
}

// What ISO 8601 has of times that mean the same moment everywhere.
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

export function time(from: Json, key: string): string {
  const value = text(from, key)
  if (isIsoTime(value)) return value
  const ms = MOMENT.test(value) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(ms)) throw wrong(value, key, "a time like 2026-01-31T12:00:00.000Z")
  const same = new Date(ms).toISOString()
  // The 30th of February would be counted on into March.
  const day = value.slice(0, 10)
  if (!new Date(Date.parse(day)).toISOString().startsWith(day)) throw new Problem(`${key} is a day that does not exist`)
  return same
}

/** Null where there is none; the key itself must be there. */
export function orNull<Value>(from: Json, key: string, take: (from: Json, key: string) => Value): Value | null {
  return from[key] === null ? null : take(from, key)
}
