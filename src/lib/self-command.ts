/** Built as one file we are the executable; otherwise Bun runs our sources, with the flags that we got. */
export function selfCommand({ execPath, execArgv }: Pick<NodeJS.Process, "execPath" | "execArgv">): string[] {
  const isBuilt = /[/\\](?:\$bunfs|~BUN)[/\\]/.test(Bun.main)
  return isBuilt ? [execPath] : [execPath, ...execArgv, Bun.main]
}
