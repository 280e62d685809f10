import { shellPrograms } from "../../lib/text/shell-programs.ts"

export const GATE_KINDS = ["build", "lint", "test"] as const
export type GateKind = (typeof GATE_KINDS)[number]

/** A program that a command needs. */
export interface NeededProgram {
  readonly name: string
  /** Folders of the checkout that may have it, besides the PATH. */
  readonly folders: readonly string[]
}

export interface GateCommand {
  /** `accept`: from the acceptance of a task. */
  readonly kind: GateKind | "accept"
  readonly command: readonly string[]
  /** How people write it. */
  readonly line: string
  /** Where it runs in the tree; `""` for the top. */
  readonly folder: string
  /** Programs without which the command cannot run, as far as they are known before it runs. */
  readonly needs: readonly NeededProgram[]
  /** The file that suggests it; null for a line of a person or planner. */
  readonly from: string | null
  /** What it runs, such as the text of a package.json script; empty when the line says it all. */
  readonly script: string
}

export interface KindSettings {
  readonly isEnabled: boolean
  /** Empty: use what the files of the tree suggest. */
  readonly lines: readonly string[]
}

export const PACKAGE_PROGRAMS: readonly string[] = ["node_modules/.bin", "vendor/bin"]
export const PYTHON_PROGRAMS: readonly string[] = [".venv/bin", "venv/bin"]

/** A line of a person or planner. It runs in the shell, so that it may use pipes. Nothing is ever inserted into it. */
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
