import { COMPILER_READERS } from "./compiler-failures.ts"
import { LANGUAGE_READERS } from "./language-failures.ts"
import { SCRIPT_READERS } from "./script-failures.ts"

/** The first test that failed, as far as the output of a command tells it; of a compiler or linter its first complaint. */
export interface FirstFailure {
  /** The name of the test with those of its groups, or the rule or code of a complaint. */
  readonly test: string
  readonly file: string | null
  readonly line: number | null
  /** One line of why. */
  readonly message: string | null
}

/** What one runner's words tell. Undefined where they are not that runner's. */
export type FailureReader = (lines: readonly string[]) => FoundFailure | undefined

export interface FoundFailure {
  readonly test: string
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly message?: string | undefined
}

/** Runners know more than compilers: what one prints may quote the words of the other. */
const READERS: readonly FailureReader[] = [...SCRIPT_READERS, ...LANGUAGE_READERS, ...COMPILER_READERS]

const MAX_TEXT = 300

/** `folder` is where the command ran: files inside of it are named from there. */
export function findFirstFailure(output: string, folder: string): FirstFailure | undefined {
  const lines = Bun.stripANSI(output).split(/\r?\n/)
  for (const read of READERS) {
    const found = read(lines)
    if (found === undefined) continue
    const { test, file, line, message } = found
    return {
      test: short(test),
      file: file === undefined ? null : short(fromFolder(file, folder)),
      line: line ?? null,
      message: message === undefined || message.trim() === "" ? null : short(message),
    }
  }
  return undefined
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT - 1)}…` : line
}

function fromFolder(file: string, folder: string): string {
  const path = file.replace(/^file:\/\//, "").replace(/^\.\//, "")
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
