import { join } from "node:path"
import type { Sandbox } from "./sandbox.ts"

const ROOT = join(import.meta.dir, "../..")

/** Our program as a command, from source. */
export const FROM_SOURCE: readonly string[] = [process.execPath, join(ROOT, "src/bin/start.ts")]

export async function buildBinary(sandbox: Sandbox): Promise<string> {
  const file = join(sandbox.folder("build"), "teamwork")
  const command = [process.execPath, join(ROOT, "scripts/build.ts"), file]
  const child = Bun.spawn(command, { cwd: ROOT, env: sandbox.env(), stdio: ["ignore", "ignore", "inherit"] })
  if ((await child.exited) !== 0) throw new Error("the build failed")
  return file
}

export interface Place {
  readonly cwd: string
  readonly env: Record<string, string>
}

/** What it reads from standard input; nothing by default. */
export interface Fed extends Place {
  readonly input?: string
}

export interface Run {
  readonly ms: number
  readonly stdout: string
}

/** Runs a program to its end, output into a pipe, as agents and hooks do. Throws when it fails. */
export async function timeProcess(command: readonly string[], { cwd, env, input }: Fed): Promise<Run> {
  const stdin = input === undefined ? "ignore" : new TextEncoder().encode(input)
  const start = performance.now()
  const child = Bun.spawn([...command], { cwd, env, stdio: [stdin, "pipe", "inherit"] })
  const [stdout, exitCode] = await Promise.all([child.stdout.text(), child.exited])
  const ms = performance.now() - start
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stdout}`)
  return { ms, stdout }
}
