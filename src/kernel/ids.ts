import { AppError } from "./errors.ts"

/** Branded, so that two kinds of id cannot be mixed. */
export type TaskId = string & { readonly __id: "task" }
export type WorkerId = string & { readonly __id: "worker" }

export const MAX_ID_LENGTH = 64

// ASCII only, because letters of other alphabets look alike. No slash, no leading dot or dash, no dot or ".lock" at the
// end: ids become file names, branch names and command-line arguments.
const ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/

export const ID_RULE = `letters, digits, '.', '_' and '-', starting with a letter or digit, without '..' and not ending with '.' or '.lock', at most ${MAX_ID_LENGTH} characters`

export function isId(text: string): boolean {
  return text.length <= MAX_ID_LENGTH && ID_PATTERN.test(text) && !/\.\.|\.$|\.lock$/.test(text)
}

export function parseTaskId(text: string): TaskId {
  return parseId("task id", text) as TaskId
}

export function parseWorkerId(text: string): WorkerId {
  return parseId("worker id", text) as WorkerId
}

function parseId(what: string, text: string): string {
  if (!isId(text)) throw new AppError("input.invalid", `${what} ${quoteInput(text)} is not valid; use ${ID_RULE}`)
  return text
}

/** Foreign text in one line: shortened, with control characters escaped. */
export function quoteInput(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}...` : text
  return JSON.stringify(shown)
}
