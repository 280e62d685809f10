/** Whether this is the built executable, and not Bun running the sources. */
export function isBuilt(): boolean {
  return /[/\\](?:\$bunfs|~BUN)[/\\]/.test(Bun.main)
}

/** How to start this program again: the built executable, or Bun with our flags and sources. */
export function selfCommand({ execPath, execArgv }: Pick<NodeJS.Process, "execPath" | "execArgv">): string[] {
  return isBuilt() ? [execPath] : [execPath, ...execArgv, Bun.main]
}
