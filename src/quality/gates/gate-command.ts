export const GATE_KINDS = ["build", "lint", "test"] as const
export type GateKind = (typeof GATE_KINDS)[number]

/** A command that must exit with 0. */
export interface GateCommand {
  /** `accept`: one that a task brings along. */
  readonly kind: GateKind | "accept"
  readonly command: readonly string[]
  /** How people write it. */
  readonly line: string
  /** Where in the tree it runs, `""` for the top. */
  readonly folder: string
}

/** What the configuration says of the commands of a kind. */
export interface KindSettings {
  readonly isEnabled: boolean
  /** Command lines; empty for those that the tree's files suggest. */
  readonly lines: readonly string[]
}

/**
 * A command line that a person or planner wrote. It goes to the shell as one argument, on purpose: it may use pipes and
 * variables as any line in a package.json does. Nothing else is ever put into it.
 */
export function shellCommand(kind: GateCommand["kind"], line: string): GateCommand {
  return { kind, command: ["sh", "-c", line], line, folder: "" }
}

/** Arguments that are handed over as they are. */
export function plainCommand(kind: GateKind, command: readonly string[], folder: string): GateCommand {
  const line = command.join(" ")
  return { kind, command, line: folder === "" ? line : `${line} (in ${folder})`, folder }
}
