import { shellPrograms } from "../../lib/text/shell-programs.ts"

export const GATE_KINDS = ["build", "lint", "test"] as const
export type GateKind = (typeof GATE_KINDS)[number]

/** A program that must be there before a command says anything of the tree. */
export interface NeededProgram {
  readonly name: string
  /** Folders of the checkout where it may be as well, besides the PATH. */
  readonly folders: readonly string[]
}

/** A command that must exit with 0. */
export interface GateCommand {
  /** `accept`: one that a task brings along. */
  readonly kind: GateKind | "accept"
  readonly command: readonly string[]
  /** How people write it. */
  readonly line: string
  /** Where in the tree it runs, `""` for the top. */
  readonly folder: string
  /** Without one of them the command does not fail, it cannot run. Only what can be read without running it. */
  readonly needs: readonly NeededProgram[]
  /** The file that suggests it; null for a line that a person or planner wrote. */
  readonly from: string | null
  /** What the file says it does, such as the text of a script; empty where the command line says it all. */
  readonly script: string
}

/** What the configuration says of the commands of a kind. */
export interface KindSettings {
  readonly isEnabled: boolean
  /** Command lines; empty for those that the tree's files suggest. */
  readonly lines: readonly string[]
}

/** Where package managers put programs, in the folder that a command runs in. */
export const PACKAGE_PROGRAMS: readonly string[] = ["node_modules/.bin", "vendor/bin"]
/** Where Python's environments have theirs. */
export const PYTHON_PROGRAMS: readonly string[] = [".venv/bin", "venv/bin"]

/**
 * A command line that a person or planner wrote. It goes to the shell as one argument, on purpose: it may use pipes and
 * variables as any line in a package.json does. Nothing else is ever put into it.
 */
export function shellCommand(kind: GateCommand["kind"], line: string): GateCommand {
  const needs = shellPrograms(line).map((name) => ({ name, folders: PYTHON_PROGRAMS }))
  return { kind, command: ["sh", "-c", line], line, folder: "", needs, from: null, script: "" }
}

/** A command that a file of the tree suggests. */
export interface FoundCommand {
  readonly command: readonly string[]
  readonly from: string
  readonly needs?: readonly NeededProgram[]
  readonly script?: string
}

/** Arguments that are handed over as they are. */
export function plainCommand(kind: GateKind, command: readonly string[], folder: string): GateCommand {
  const line = command.join(" ")
  const [first = "sh", second] = command
  // A wrapper that lies in the repository is read by the shell and is there.
  const needs = first === "sh" && second?.startsWith("./") ? [] : [{ name: first, folders: PYTHON_PROGRAMS }]
  const shown = folder === "" ? line : `${line} (in ${folder})`
  return { kind, command, line: shown, folder, needs, from: null, script: "" }
}

export function foundCommand(kind: GateKind, found: FoundCommand, folder: string): GateCommand {
  const plain = plainCommand(kind, found.command, folder)
  const from = folder === "" ? found.from : `${folder}/${found.from}`
  return { ...plain, from, needs: found.needs ?? plain.needs, script: found.script ?? "" }
}
