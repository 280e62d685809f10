const PREFIX = "TEAMWORK_WORKER_MARK_"

/** What an environment that leaves out most variables must let through, so that all that a worker starts bears its mark. */
export const WORKER_MARKS = `${PREFIX}*`

export function isWorkerMark(variable: string): boolean {
  return variable.startsWith(PREFIX)
}

/**
 * A variable in the environment of a worker and of everything it starts, by which they are found again when nothing else
 * ties them to it. It follows from whose worker it is: whoever comes later, in another process, makes the same one.
 */
export function workerMark(...owner: readonly string[]): string {
  return PREFIX + new Bun.CryptoHasher("sha256").update(JSON.stringify(owner)).digest("hex").slice(0, 16)
}
