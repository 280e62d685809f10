import { closeSync, openSync } from "node:fs"

export interface DetachedRequest {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input: string
  /** The file for its error output. */
  readonly log: string
}

/**
 * Starts a program that outlives us, in its own session and without our streams. Resolves at its first output, which
 * means that it has read its input; false when it ended without output.
 */
export async function startDetached({ command, cwd, env, input, log }: DetachedRequest): Promise<boolean> {
  const stderr = openSync(log, "a", 0o600)
  try {
    const stdin = new TextEncoder().encode(input)
    const child = Bun.spawn([...command], { cwd, env, stdin, stdout: "pipe", stderr, detached: true })
    const { done } = await child.stdout.getReader().read()
    child.unref()
    return !done
  } finally {
    closeSync(stderr)
  }
}
