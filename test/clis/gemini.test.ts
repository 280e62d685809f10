import { gemini } from "../../src/agents/gemini/program.ts"
import { cliSuite } from "./cli.suite.ts"
import { type Cli, FAKE_KEY } from "./cli-world.ts"
import { OWN_TOOLS } from "./own-tools.ts"

const CLI: Cli = {
  program: gemini,
  model: "gemini-2.5-flash",
  variables: (url) => ({ GEMINI_API_KEY: FAKE_KEY, GOOGLE_GEMINI_BASE_URL: url }),
  ...OWN_TOOLS.gemini,
  structured: (value) => [{ text: JSON.stringify(value) }],
  startMs: 6_000,
  hasSandbox: false,
  holdsToOwnedFiles: false,
  tellsRetryTime: true,
  tellsUsageWhileRunning: false,
  brokenAnswer: "crashed",
  keepsBrokenText: true,
  blockWord: "deny",
}

cliSuite(CLI)
