import { MAX_ID_LENGTH, type TaskId } from "../kernel/ids.ts"

/** The id of a task that fixes findings about a task, or about all the work. The round makes it unique. */
export function findingId(round: number, task: string | null): TaskId {
  const plain = `finding-${round}-${task ?? WHOLE}`
  if (plain.length <= MAX_ID_LENGTH) return plain as TaskId
  return `finding-${round}-${new Bun.CryptoHasher("sha256").update(plain).digest("hex").slice(0, 16)}` as TaskId
}

const WHOLE = "whole"

/** Null for other ids. */
export function findingOf(id: string): { readonly round: number; readonly task: string | null } | null {
  const match = /^finding-(\d+)-(.+)$/.exec(id)
  if (match === null) return null
  return { round: Number(match[1]), task: match[2] === WHOLE ? null : (match[2] ?? null) }
}
