import type { CommandRow } from "../../app/command.ts"
import { commandLine, flagOf } from "../../kernel/command-line.ts"
import type { AppError } from "../../kernel/errors.ts"
import { type FieldValue, introduce, type Remedy, type Words } from "../../kernel/remedy.ts"
import { wireName } from "../../lib/text/wire-names.ts"
import { typedLine } from "../cli/cli-words.ts"
import { GLOBAL_FIELDS } from "../cli/global-fields.ts"
import { loadTool, type Tool } from "./tool-table.ts"
import { type Offer, offer, toolsFor, type Who } from "./who.ts"

interface Caller {
  /** Null when the store does not answer. */
  readonly who: Who | null
  readonly commands: readonly CommandRow[]
  readonly tool?: Tool
}

/** For callers of tools: fields are arguments, a remedy is a call where a tool exists. */
export async function mcpWords({ remedies }: Pick<AppError, "remedies">, caller: Caller): Promise<Words> {
  const ways = new Map<Remedy, Way>()
  for (const remedy of remedies) ways.set(remedy, await wayOf(remedy, caller))
  const wires = await argumentNames(caller)
  return {
    // A global flag is not an argument of a call, but the server may be started with it.
    field: (name) => wires.get(name) ?? (name in GLOBAL_FIELDS ? flagOf(name) : wireName(name)),
    remedy: (remedy, isFirst) => ways.get(remedy)?.(isFirst) ?? introduce(commandLine(remedy), remedy, isFirst),
  }
}

async function argumentNames({ who, commands, tool }: Caller): Promise<ReadonlyMap<string, string>> {
  if (who === null || tool === undefined) return new Map()
  const { names } = offer(tool, await loadTool(tool, commands), who)
  return new Map([...names].map(([wire, field]) => [field, wire]))
}

type Way = (isFirst: boolean) => string

async function wayOf(remedy: Remedy, { who, commands }: Caller): Promise<Way> {
  const { to } = remedy
  const call = who === null ? undefined : await callOf(remedy, who, commands)
  if (call !== undefined) return () => (to === undefined ? call : `${to}: ${call}`)
  const line = await typedLine(remedy, commands)
  if (who?.worker == null) return (isFirst) => introduce(line, remedy, isFirst)
  return () => `the lead can${to === undefined ? "" : ` ${to}`}: ${line}`
}

async function callOf(remedy: Remedy, who: Who, commands: readonly CommandRow[]): Promise<string | undefined> {
  for (const tool of toolsFor(who)) {
    if (tool.command !== remedy.operation) continue
    const given = argumentsOf(remedy, offer(tool, await loadTool(tool, commands), who), who)
    if (given === undefined || !isFixedTo(tool, remedy)) continue
    return Object.keys(given).length === 0 ? `call ${tool.name}` : `call ${tool.name} ${JSON.stringify(given)}`
  }
  return undefined
}

/** A tool with fixed fields is the remedy only if they have the same values. */
function isFixedTo({ fixed = {} }: Tool, remedy: Remedy): boolean {
  const fields = new Map(Object.entries<FieldValue | undefined>(remedy.fields ?? {}))
  return Object.entries(fixed).every(([field, value]) => fields.get(field) === value)
}

function argumentsOf(remedy: Remedy, { names, fields, filled }: Offer, who: Who): Record<string, unknown> | undefined {
  const wires = new Map([...names].map(([wire, field]) => [field, wire]))
  const known = new Map(Object.entries({ ...filled, project: who.project, team: who.team }))
  const given: Record<string, unknown> = {}
  for (const [field, value] of Object.entries<FieldValue | undefined>(remedy.fields ?? {})) {
    if (value === undefined) continue
    const wire = wires.get(field)
    if (wire !== undefined) given[wire] = fields[wire]?.type === "array" && typeof value === "string" ? [value] : value
    else if (known.get(field) !== value && !(known.has(field) && isToFillIn(value))) return undefined
  }
  return given
}

function isToFillIn(value: FieldValue): boolean {
  return typeof value === "string" && /^[A-Z]+$/.test(value)
}
