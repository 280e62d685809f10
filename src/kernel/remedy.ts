/**
 * The commands that an error may suggest, each with the fields that it may fill in. The compiler checks every remedy by
 * this table, and a test checks the table by that of the commands.
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
/** `true` for a flag; a text in capitals, such as ID, is a placeholder. */
export type FieldValue = string | number | true | readonly string[]

/** What to do about an error, as data: each door words it for its users. */
export type Remedy = { [Name in Operation]: RemedyOf<Name, (typeof REMEDIES)[Name][number]> }[Operation]

interface RemedyOf<Name extends Operation, Field extends string> {
  readonly operation: Name
  readonly fields?: [Field] extends [never] ? never : { readonly [F in Field]?: FieldValue }
  /** The words before the command: `see`, `continue with`. Without them: `run`, or the words of the remedy before. */
  readonly to?: string
}

/** How a door words the parts of an error. */
export interface Words {
  /** A field of the operation that failed. */
  field(name: string): string
  /** `isFirst`: no other remedy comes before it. */
  remedy(remedy: Remedy, isFirst: boolean): string
}

/** A command with the words before it: `see: teamwork refs`. */
export function introduce(command: string, { to }: Remedy, isFirst: boolean): string {
  if (to === undefined && !isFirst) return command
  return `${to ?? "run"}: ${command}`
}
