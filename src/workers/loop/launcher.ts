import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { quoteArgument } from "../../lib/text/quote-argument.ts"

/** Lets agents call `teamwork` where it is not installed. */
export function ensureLauncher(home: string, self: readonly string[]): string {
  const script = `#!/bin/sh\nexec ${self.map(quoteArgument).join(" ")} "$@"\n`
  // Named by its content: other versions may use the same home.
  const hash = new Bun.CryptoHasher("sha256").update(script).digest("hex").slice(0, 12)
  const folder = `${home}/bin/${hash}`
  const file = `${folder}/teamwork`
  if (read(file) === script) return folder
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Renamed into place, because other workers start at the same time.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, script, { mode: 0o700 })
  renameSync(draft, file)
  return folder
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}
