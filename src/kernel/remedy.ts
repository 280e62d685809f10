/**
 * The operations that an error may name as its way out, by the names of their commands, each with the fields that may be
 * filled in. The compiler holds every remedy against this table, and a test holds the table against that of the commands.
 */
export const REMEDIES = {
  "agent jobs": [],
  "agent list": [],
  approvals: [],
  approve: ["number"],
  "artifact list": [],
  cancel: [],
  checkpoint: ["name"],
  "config set": ["key", "value"],
  "config unset": ["key"],
  decide: ["number", "option"],
  deliver: ["partial"],
  "discuss list": [],
  "discuss open": ["topic"],
  doctor: ["fix"],
  escalations: [],
  "evidence list": ["id"],
  "evidence run": ["id", "command"],
  "evidence withdraw": ["id", "number"],
  "explore list": [],
  "explore put": ["angle", "summary", "files"],
  feedback: ["text", "list"],
  findings: [],
  "findings show": ["number"],
  "findings waive": ["number", "reason"],
  import: ["path"],
  join: [],
  keep: [],
  leave: [],
  link: ["name"],
  logs: ["of"],
  "ownership ask": ["task", "path", "reason", "owner"],
  "ownership list": ["task"],
  plan: ["what"],
  "project create": ["goal"],
  "project get": [],
  "project list": [],
  "project update": ["protocol", "qa"],
  "qa accept": ["id"],
  "qa plan": ["id"],
  "qa record": ["id", "score"],
  "qa return": ["id", "reason"],
  "qa submit": ["id", "commit"],
  quality: [],
  refs: [],
  reject: ["number", "reason"],
  resume: ["task", "workerId"],
  "role list": [],
  run: ["what", "preset", "add", "new", "resume"],
  runs: [],
  "skill choose": ["task"],
  "skill list": [],
  "swarm merge": [],
  "swarm status": [],
  "swarm sync": ["workerId"],
  "task claim": ["id", "owner"],
  "task create": ["title"],
  "task delete": ["id", "force"],
  "task list": [],
  "task phase": ["id", "to", "report"],
  "task release": ["id", "owner"],
  "task reopen": ["id"],
  "task update": ["id", "status"],
  trust: ["yes"],
  "verdict list": [],
  "verify final": [],
  "verify review": [],
  watch: [],
  "wave calculate": [],
  "wisdom list": [],
  "worker setup": ["workerId"],
  "worktree create": ["workerId"],
  "worktree remove": ["workerId"],
} as const satisfies Record<string, readonly string[]>

type Operation = keyof typeof REMEDIES
/** `true` for a flag; a text in capitals, such as ID, is for the reader to fill in. */
export type FieldValue = string | number | true | readonly string[]

/** What to do about an error, as data: each door says it in its own words. */
export type Remedy = { [Name in Operation]: RemedyOf<Name, (typeof REMEDIES)[Name][number]> }[Operation]

interface RemedyOf<Name extends Operation, Field extends string> {
  readonly operation: Name
  readonly fields?: [Field] extends [never] ? never : { readonly [F in Field]?: FieldValue }
  /** The words before it, for somebody who is told to: `see`, `go on with`. Without them: run it, or the same as the one before. */
  readonly to?: string
}

/** How a door names what is in an error. */
export interface Words {
  /** A field of the operation that failed. */
  field(name: string): string
  /** `isFirst`: nothing was said before it that a bare command could go with. */
  remedy(remedy: Remedy, isFirst: boolean): string
}

/** A command with the words before it: `see: teamwork refs`. */
export function introduce(command: string, { to }: Remedy, isFirst: boolean): string {
  if (to === undefined && !isFirst) return command
  return `${to ?? "run"}: ${command}`
}
