// `bun test/real/replay.ts REPOSITORY`: replays the next commits of a repository, and prints a row of the table.
// README.md has the rules.
import { existsSync } from "node:fs"
import { parseArgs } from "node:util"
import { replayHistory, TABLE_HEAD, tableRow } from "./replay-history.ts"

if (import.meta.main) process.exit(await main())

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      commits: { type: "string", default: "4" },
      at: { type: "string" },
      chain: { type: "boolean", default: false },
      workers: { type: "string", default: "2" },
      "with-dependencies": { type: "boolean", default: false },
      timeout: { type: "string", default: "600" },
      keep: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      verbose: { type: "boolean", default: false },
      program: { type: "string" },
    },
  })
  const [source] = positionals
  const commits = Number(values.commits)
  if (source === undefined || !existsSync(source) || !Number.isInteger(commits) || commits < 1) {
    console.error("usage: bun test/real/replay.ts REPOSITORY [--commits 4] [--at REV] ..., see test/real/README.md")
    return 2
  }
  const replay = await replayHistory(source, {
    commits,
    ...{ at: values.at, isChained: values.chain, workers: values.workers, isKept: values.keep },
    ...{ withDependencies: values["with-dependencies"], timeoutMs: Number(values.timeout) * 1000 },
    program: values.program?.split(" "),
  })
  if (values.json) console.log(JSON.stringify(replay, null, 2))
  else {
    if (values.verbose || !replay.outcome.isGood) console.log(`${replay.output.trimEnd()}\n`)
    console.log([...TABLE_HEAD, tableRow(replay)].join("\n"))
    if (replay.folder !== null) console.log(`\nkept in ${replay.folder}`)
  }
  return replay.outcome.isGood ? 0 : 1
}
