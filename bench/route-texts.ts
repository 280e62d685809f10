// Routes 1,000 task texts in a process that has never done it, and prints the CPU time it took as JSON. No two texts are
// alike, and the engine has compiled nothing yet, as when somebody calls.
import { classifyTask } from "../src/planning/complexity/classify-task.ts"
import { analyzeComplexity } from "../src/planning/complexity/complexity.ts"

export interface RoutingReport {
  /** Of each round over the same texts; the first one is what a process pays. */
  readonly cpuMs: readonly number[]
  readonly letters: number
}

const ROUNDS = 20
const COUNT = 1000

const ORDERS = [
  "Implement JWT authentication for the API: login, logout and refresh endpoints, middleware that checks the token, and tests.",
  "Build a responsive profile page with avatar, bio and edit form; it should look good on mobile and follow the design.",
  "Why does the import worker crash when two of them read the same queue? Find the root cause in src/queue/worker.ts.",
  "Update the copyright line in README.md.",
  "Split the monolith into services:\n- orders\n- billing\n- search\n- notifications\nKeep the public API stable.",
]
const DETAILS = [
  "See https://example.com/wiki/page for the background, and mind the limits of version 2.4.1.",
  "The numbers come from the last release. Nobody has touched this part since, and the people who wrote it have left.",
  "```ts\nexport const limit = 10\n```",
  "It must keep working for existing users and/or their guests.",
]

if (import.meta.main) {
  const texts = makeTexts()
  const cpuMs = Array.from({ length: ROUNDS }, () => route(texts))
  const letters = Math.round(texts.reduce((sum, text) => sum + text.length, 0) / COUNT)
  const report: RoutingReport = { cpuMs, letters }
  console.log(JSON.stringify(report))
}

function route(texts: readonly string[]): number {
  const before = process.cpuUsage()
  let clear = 0
  let points = 0
  for (const text of texts) {
    if (classifyTask(text).domain !== "ambiguous") clear++
    points += analyzeComplexity(text).score
  }
  const { user, system } = process.cpuUsage(before)
  if (clear === 0 || points === 0) throw new Error("nothing was found in the texts")
  return (user + system) / 1000
}

/** Titles and longer descriptions in turn; no two are alike, so nothing can be remembered. */
function makeTexts(): string[] {
  return Array.from({ length: COUNT }, (_, index) => {
    const order = ORDERS[index % ORDERS.length] ?? ""
    const details = index % 2 === 0 ? "" : DETAILS.slice(0, (index % DETAILS.length) + 1).join("\n")
    return `${order} (${index})\n${details}`
  })
}
