import type { AppError } from "../kernel/errors.ts"
import type { Words } from "../kernel/remedy.ts"
import { toWire } from "../lib/text/wire-names.ts"

export function errorFacts(error: AppError, words: Words) {
  const { code, details, remedies } = error
  const remedy = remedies.length === 0 ? {} : { remedy: toWire(remedies) }
  return { code, message: error.tell(words), details: toWire(details), ...remedy }
}
