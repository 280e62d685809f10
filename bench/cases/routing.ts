import { classifyTask } from "../../src/domain/classify-task.ts"
import { analyzeComplexity } from "../../src/domain/complexity.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show } from "../lib/measure.ts"

const RUNS = 50
const COUNT = 1000

export const routing: BenchCase = {
  name: "routing",
  summary: "classifying and scoring 1,000 task texts, in CPU time",
  async run() {
    const texts = makeTexts()
    const times: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const before = process.cpuUsage()
      let clear = 0
      let points = 0
      for (const text of texts) {
        if (classifyTask(text).domain !== "ambiguous") clear++
        points += analyzeComplexity(text).score
      }
      const { user, system } = process.cpuUsage(before)
      if (clear === 0 || points === 0) throw new Error("nothing was found in the texts")
      times.push((user + system) / 1000)
    }
    const letters = Math.round(texts.reduce((sum, text) => sum + text.length, 0) / COUNT)
    const figures = `first ${show(times[0] ?? 0)} ms, largest ${show(Math.max(...times))} ms; ${letters} letters each`
    return [{ what: "1,000 texts, CPU", value: median(times), unit: "ms", limit: { atMost: 50 }, figures }]
  },
}

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

/** Titles and longer descriptions in turn; no two are alike, so nothing can be remembered. */
function makeTexts(): string[] {
  return Array.from({ length: COUNT }, (_, index) => {
    const order = ORDERS[index % ORDERS.length] ?? ""
    const details = index % 2 === 0 ? "" : DETAILS.slice(0, (index % DETAILS.length) + 1).join("\n")
    return `${order} (${index})\n${details}`
  })
}
