const PREFIX = "TEAMWORK_WORKER_MARK_"

/** Reduced environments must pass these variables on, so that every process of a worker has its mark. */
export const WORKER_MARKS = `${PREFIX}*`

export function isWorkerMark(variable: string): boolean {
  return variable.startsWith(PREFIX)
}

/**
 * A variable in the environment of a worker and all its processes, by which they are found later. It is derived from the
 * owner, so that another process computes the same one.
 */
export function workerMark(...owner: readonly string[]): string {
  return PREFIX + new Bun.CryptoHasher("sha256").update(JSON.stringify(owner)).digest("hex").slice(0, 16)
}
