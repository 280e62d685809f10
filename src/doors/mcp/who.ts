import * as v from "valibot"
import type { Command } from "../../app/command.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Fields } from "../../lib/schema.ts"
import { wireName } from "../../lib/text/wire-names.ts"
import { LEAD } from "../../messages/message.ts"
import { judgeDelegation } from "../../sessions/delegation.ts"
import { DETECTED_FIELDS } from "../cli/global-fields.ts"
import { TOOLS, type Tool } from "./tool-table.ts"

/** The role of a connection. The lead may do what a person may at the command line, except decisions. */
export interface Who extends TeamName {
  /** Null for the lead. */
  readonly worker: string | null
  /** Set when the server was started. */
  readonly isFixed: boolean
  /** Another session took the place of this one. */
  readonly isLost: boolean
  /** For a lead that leaves all work to workers until the team has ended. */
  readonly strict: { readonly isOver: boolean } | null
  readonly mayRun: boolean
  readonly mayHold: boolean
}

/** The role of a session that has not joined. */
export function leadOf({ project, team }: TeamName): Who {
  return { project, team, worker: null, isFixed: false, isLost: false, strict: null, mayRun: true, mayHold: true }
}

/** Fields that name the caller. A worker's connection fills them and does not offer them. */
const SELF = ["owner", "workerId", "from", "inbox", "by"]
export const OF_LEAD: Readonly<Record<string, string>> = { from: LEAD, inbox: LEAD }

export function toolsFor(who: Who): readonly Tool[] {
  return TOOLS.filter((tool) => whyNot(tool, who) === undefined)
}

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

/** Hooks, where a session has them, enforce the same rule. */
const asHooksSee = ({ name }: Tool) => ({ tool: `mcp__teamwork__${name}`, input: {} })
/** No tool of ours is judged by a path. */
const NOWHERE = { inside: () => undefined, isOurs: () => false, self: [] }

export const LOST = "another session took the place of this one in the team; join again with join"

export interface Offer {
  /** Field by wire name. */
  readonly names: ReadonlyMap<string, string>
  /** By wire name. */
  readonly fields: Fields
  readonly filled: Readonly<Record<string, unknown>>
}

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
