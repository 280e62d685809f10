import { renameSync } from "node:fs"
import { acp } from "../../src/agents/acp/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"

const CLI: Cli = {
  program: acp,
  pinned: "gemini",
  args: ["--acp"],
  model: "gemini-2.5-flash",
  variables: (url) => ({ GEMINI_API_KEY: FAKE_KEY, GOOGLE_GEMINI_BASE_URL: url }),
  home: () => ({
    ".gemini/settings.json": {
      security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false, maxAttempts: 2 },
    },
  }),
  ...OWN_TOOLS.gemini,
  structured: (value) => [{ text: JSON.stringify(value) }],
  startMs: 6_000,
  hasSandbox: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: false,
  tellsCost: false,
  beforeResume: ageSessions,
  brokenAnswer: "overloaded",
  keepsBrokenText: true,
  blockWord: "deny",
}

/**
 * A session is kept in a file with the minute of its beginning in its name. Within that minute Gemini overwrites it
 * when it is loaded, and then finds nothing; so it has to be older, and nobody wants to wait.
 */
function ageSessions(home: string): void {
  const files = new Bun.Glob(".gemini/tmp/*/chats/session-*.jsonl").scanSync({ cwd: home, dot: true, absolute: true })
  for (const file of files) renameSync(file, file.replace(/session-\d{4}/, "session-2020"))
}

cliSuite(CLI)
