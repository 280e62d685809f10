import { shellPrograms } from "../../lib/text/shell-programs.ts"

export const GATE_KINDS = ["build", "lint", "test"] as const
export type GateKind = (typeof GATE_KINDS)[number]

export interface NeededProgram {
  readonly name: string
  /** Searched besides the PATH. */
  readonly folders: readonly string[]
}

export interface GateCommand {
  /** `accept`: of a task. */
  readonly kind: GateKind | "accept"
  readonly command: readonly string[]
  readonly line: string
  /** In the tree; `""` for the top. */
  readonly folder: string
  /** Known before it runs. */
  readonly needs: readonly NeededProgram[]
  /** The file that suggests it; null for a line of a person or planner. */
  readonly from: string | null
  /** Such as the text of a package.json script; empty if the line says it all. */
  readonly script: string
}

export interface KindSettings {
  readonly isEnabled: boolean
  /** Empty: use what the files suggest. */
  readonly lines: readonly string[]
}

export const PACKAGE_PROGRAMS: readonly string[] = ["node_modules/.bin", "vendor/bin"]
export const PYTHON_PROGRAMS: readonly string[] = [".venv/bin", "venv/bin"]

/** A line of a person or planner. The shell runs it, so it may use pipes. Never insert anything into it. */
export function shellCommand(kind: GateCommand["kind"], line: string): GateCommand {
  const needs = shellPrograms(line).map((name) => ({ name, folders: PYTHON_PROGRAMS }))
  return { kind, command: ["sh", "-c", line], line, folder: "", needs, from: null, script: "" }
}

export interface FoundCommand {
  readonly command: readonly string[]
  readonly from: string
  readonly needs?: readonly NeededProgram[]
  readonly script?: string
}

export function plainCommand(kind: GateKind, command: readonly string[], folder: string): GateCommand {
  const line = command.join(" ")
  const [first = "sh", second] = command
  // A wrapper in the repository is always there.
  const needs = first === "sh" && second?.startsWith("./") ? [] : [{ name: first, folders: PYTHON_PROGRAMS }]
  const shown = folder === "" ? line : `${line} (in ${folder})`
  return { kind, command, line: shown, folder, needs, from: null, script: "" }
}

export function foundCommand(kind: GateKind, found: FoundCommand, folder: string): GateCommand {
  const plain = plainCommand(kind, found.command, folder)
  const from = folder === "" ? found.from : `${folder}/${found.from}`
  return { ...plain, from, needs: found.needs ?? plain.needs, script: found.script ?? "" }
}
