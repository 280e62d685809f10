/** Built as one file, instead of Bun running our sources. */
export function isBuilt(): boolean {
  return /[/\\](?:\$bunfs|~BUN)[/\\]/.test(Bun.main)
}

/** Built as one file we are the executable; otherwise Bun runs our sources, with the flags that we got. */
export function selfCommand({ execPath, execArgv }: Pick<NodeJS.Process, "execPath" | "execArgv">): string[] {
  return isBuilt() ? [execPath] : [execPath, ...execArgv, Bun.main]
}
