import * as v from "valibot"
import type { Command } from "../../app/command.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Fields } from "../../lib/schema.ts"
import { wireName } from "../../lib/text/wire-names.ts"
import { LEAD } from "../../messages/message.ts"
import { judgeDelegation } from "../../sessions/delegation.ts"
import { DETECTED_FIELDS } from "../cli/global-fields.ts"
import { TOOLS, type Tool } from "./tool-table.ts"

/** For whom a connection acts. Whoever leads may do what a person may at the command line, decisions aside. */
export interface Who extends TeamName {
  /** Null for the lead. */
  readonly worker: string | null
  /** Said when the server was started, and not to be changed. */
  readonly isFixed: boolean
  /** The session had joined, and somebody else took its place. */
  readonly isLost: boolean
  /** Leads, and leaves all work to workers; until the team has come to its end it stays that way. */
  readonly strict: { readonly isOver: boolean } | null
  /** May have programs run. */
  readonly mayRun: boolean
  /** May take tasks and bring them to an end. */
  readonly mayHold: boolean
}

/** Who takes part from a session that has not joined. */
export function leadOf({ project, team }: TeamName): Who {
  return { project, team, worker: null, isFixed: false, isLost: false, strict: null, mayRun: true, mayHold: true }
}

/** Fields that say who acts. A worker's connection fills them; they are not even offered. */
const SELF = ["owner", "workerId", "from", "inbox", "by"]
/** What the lead's connection fills in where nothing is said. */
export const OF_LEAD: Readonly<Record<string, string>> = { from: LEAD, inbox: LEAD }

export function toolsFor(who: Who): readonly Tool[] {
  return TOOLS.filter((tool) => whyNot(tool, who) === undefined)
}

/** Why somebody cannot call a tool that there is. */
export function whyNot(tool: Tool, { worker, isFixed, isLost, strict, mayRun, mayHold }: Who): string | undefined {
  if (isLost && tool.name !== "join") return LOST
  if (isFixed && tool.isSeating === true)
    return `this connection was started as worker ${worker} and stays that; ${tool.name} is for sessions`
  if (tool.effect === "runs" && !mayRun) return "this connection was started without tools that run programs"
  if (tool.isForHolder === true && !mayHold)
    return "teamwork claims and resolves the task of this agent; do the work, say what you did, and end"
  const locked = strict === null ? undefined : judgeDelegation(asHooksSee(tool), { ...NOWHERE, ...strict })
  if (locked !== undefined) return locked
  if (worker === null || tool.isForLead !== true) return undefined
  const way = tool.isSeating === true ? "leave first" : "write to the lead with message_send"
  return `this connection acts as worker ${worker}, who cannot call ${tool.name}; ${way}`
}

/** Its hooks hold a session to the same, where it has any. */
const asHooksSee = ({ name }: Tool) => ({ tool: `mcp__teamwork__${name}`, input: {} })
/** No tool of ours is judged by a path. */
const NOWHERE = { inside: () => undefined, isOurs: () => false, self: [] }

export const LOST = "another session took the place of this one in the team; join again with join"

export interface Offer {
  /** Wire name to the field it is. */
  readonly names: ReadonlyMap<string, string>
  /** By their wire names. */
  readonly fields: Fields
  /** What the connection says itself. */
  readonly filled: Readonly<Record<string, unknown>>
}

/** What somebody may say in a call, and what is said for them. */
export function offer(tool: Tool, command: Command, { worker }: Who): Offer {
  const self = worker === null ? [] : Object.keys(command.fields).filter((field) => SELF.includes(field))
  const kept = [...DETECTED_FIELDS, ...Object.keys(tool.fixed ?? {}), ...(tool.without ?? []), ...self]
  const hidden = new Set(worker === null ? kept : [...kept, ...(tool.ofLead ?? [])])
  const names = new Map<string, string>()
  const fields: Record<string, Fields[string]> = {}
  for (const [name, field] of Object.entries(command.fields)) {
    if (hidden.has(name)) continue
    const wire = tool.names?.[name] ?? wireName(name)
    names.set(wire, name)
    fields[wire] = name in OF_LEAD ? v.optional(field) : field
  }
  return { names, fields, filled: { ...tool.fixed, ...Object.fromEntries(self.map((field) => [field, worker])) } }
}
