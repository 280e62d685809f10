import { realpathSync, statSync } from "node:fs"

/**
 * Which files a command is made of and when each last changed: its program, and scripts among its first arguments. Null
 * when there is no such program.
 */
export function fingerprintOf(command: readonly string[], env: Readonly<Record<string, string>>): string | null {
  const [name = "", ...args] = command
  const program = Bun.which(name, { PATH: env.PATH ?? "", cwd: "/" })
  if (program === null) return null
  const scripts = args.filter((arg) => arg.startsWith("/"))
  return [...[program, ...scripts].map(describeFile), JSON.stringify(command)].join(" ")
}

/** An installer may give a new file the times of the old one, but not the time at which it was put there. */
function describeFile(path: string): string {
  try {
    const real = realpathSync(path)
    const { ino, size, mtimeMs, ctimeMs } = statSync(real)
    return [real, ino, size, mtimeMs, ctimeMs].join(":")
  } catch {
    return `${path}:gone`
  }
}
