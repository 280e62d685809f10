import { join } from "node:path"

export interface Pinned {
  readonly name: "claude" | "codex" | "gemini" | "opencode"
  readonly package: string
  readonly version: string
}

/** What `npm run test:clis` proves. A newer version comes in here, and with it what its tests show. */
export const PINNED: readonly Pinned[] = [
  { name: "claude", package: "@anthropic-ai/claude-code", version: "2.1.325" },
  { name: "codex", package: "@openai/codex", version: "0.166.0" },
  { name: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
  { name: "opencode", package: "opencode-ai", version: "1.18.33" },
]

/** Each in a folder of its own, so that none sees what another brings along. */
export function installFolder(cache: string, { name, version }: Pinned): string {
  return join(cache, `${name}-${version}`)
}

export function programFile(cache: string, pinned: Pinned): string {
  return join(installFolder(cache, pinned), "node_modules/.bin", pinned.name)
}
