import type { AppError } from "../kernel/errors.ts"
import type { Words } from "../kernel/remedy.ts"
import { toWire } from "../lib/text/wire-names.ts"

/** An error as programs get it: the text in the words of the door, and what it says as data. */
export function errorFacts(error: AppError, words: Words) {
  const { code, details, remedies } = error
  const remedy = remedies.length === 0 ? {} : { remedy: toWire(remedies) }
  return { code, message: error.tell(words), details: toWire(details), ...remedy }
}
