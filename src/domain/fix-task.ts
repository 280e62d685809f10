import { MAX_ID_LENGTH, type TaskId } from "./ids.ts"

/** A task that mends what could not be merged. Its id follows from the attempt, so that there is never a second one. */
export function fixIdOf({ id, attempt }: { readonly id: TaskId; readonly attempt: number }): TaskId {
  const plain = `fix-${id}-${attempt}`
  if (plain.length <= MAX_ID_LENGTH) return plain as TaskId
  return `fix-${new Bun.CryptoHasher("sha256").update(id).digest("hex").slice(0, 16)}-${attempt}` as TaskId
}

export function isFixId(id: string): boolean {
  return /^fix-.+-\d+$/.test(id)
}

/** The attempt that a fix mends, if it is one of these tasks. */
export function findFixed(
  fix: string,
  tasks: readonly { readonly id: TaskId }[],
): { readonly id: TaskId; readonly attempt: number } | undefined {
  const attempt = Number(/^fix-.+-(\d+)$/.exec(fix)?.[1])
  const task = Number.isInteger(attempt) ? tasks.find(({ id }) => fixIdOf({ id, attempt }) === fix) : undefined
  return task && { id: task.id, attempt }
}
