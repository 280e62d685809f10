import type { Mask } from "./mask-secrets.ts"

/** A secret must be complete to be masked, so this much is read beyond the cut; few are longer. */
const ROOM_FOR_SECRET = 8192

/** The first `max` characters of a text, with no half of a secret at the cut. */
export function maskedStart(mask: Mask, text: string, max: number): string {
  return text.length <= max ? mask(text) : mask(text.slice(0, max + ROOM_FOR_SECRET)).slice(0, max)
}

/** The last `max` characters of a text, with no half of a secret at the cut. */
export function maskedEnd(mask: Mask, text: string, max: number): string {
  return text.length <= max ? mask(text) : mask(text.slice(-max - ROOM_FOR_SECRET)).slice(-max)
}
