import type { RunResult } from "../../lib/process/process.ts"

export interface Ending {
  readonly reason: RunResult["reason"]
  readonly exitCode: number | null
  readonly command: readonly string[]
  readonly output: string
}

const NOT_FOUND = 127

/** Shells, `env` and `make`. The first group is the program. */
const SHELL_SAYS: readonly RegExp[] = [
  /(?:^|\n)(?:\S*\/)?(?:sh|bash|dash|ash|zsh|ksh): (?:line )?(?:\d+: )?([^\s:]+): (?:command )?not found/,
  /(?:^|\n)zsh:(?:\d+:)? command not found: (\S+)/,
  /(?:^|\n)\S*env: ['‘"]?([^'’":\s]+)['’"]?: No such file or directory/,
  /(?:^|\n)make(?:\[\d+\])?: ([^\s:]+): No such file or directory/,
]

/** Tools that start programs and exit with other codes than 127. */
const TOOL_SAYS: readonly RegExp[] = [
  /npx canceled due to missing packages[^[\n]*\["([^"@]+|@[^"@]+)(?:@[^"]*)?"/,
  /(?:^|\n)error: Failed to spawn: `([^`]+)`/,
  /(?:^|\n)Command not found: (\S+)/,
  /(?:^|\n)(?:error )?Command "([^"]+)" not found/,
  /ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\S*\s+Command "([^"]+)" not found/,
  /(?:^|\n)error: no such (?:sub)?command: `([^`]+)`/,
  /(?:^|\n)error: '([^']+)' is not installed for the toolchain/,
  /(?:^|\n)\S*python[\d.]*(?:\.exe)?: No module named ['"]?([\w.]+)/,
]

/** Missing files of the repository, such as `./check.sh`, do not count. */
export function findMissingProgram({ reason, exitCode, command, output }: Ending): string | undefined {
  if (reason === "not-found") return isOwnFile(command[0] ?? "") ? undefined : command[0]
  if (exitCode === null || exitCode === 0) return undefined
  const text = Bun.stripANSI(output)
  // make exits with 2 and names the code of its recipe in the last line.
  const isShells = exitCode === NOT_FOUND || /\bError 127\b/.test(text)
  for (const pattern of [...(isShells ? SHELL_SAYS : []), ...TOOL_SAYS]) {
    const name = pattern.exec(text)?.[1]
    if (name !== undefined && !isOwnFile(name)) return name
  }
  return undefined
}

function isOwnFile(name: string): boolean {
  return /^\.{1,2}\//.test(name) || (name.includes("/") && !name.startsWith("/") && !name.startsWith("@"))
}
