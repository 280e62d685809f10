// `bun test/real/run-all.ts --mirrors DIR`: replays all repositories of the list that lie in a folder of mirrors, without
// and with their dependencies, and writes the table. README.md says more.
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { IncompleteCopy } from "./pick-commits.ts"
import { type ReplayOptions, replayHistory, TABLE_HEAD, tableRow } from "./replay-history.ts"
import { REPOSITORIES } from "./repositories.ts"

const DEPENDENCIES: Record<string, readonly boolean[]> = { both: [false, true], with: [true], without: [false] }

if (import.meta.main) process.exit(await main())

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      mirrors: { type: "string" },
      only: { type: "string" },
      commits: { type: "string", default: "4" },
      workers: { type: "string", default: "2" },
      timeout: { type: "string", default: "600" },
      dependencies: { type: "string", default: "both" },
      out: { type: "string" },
      program: { type: "string" },
    },
  })
  const kinds = DEPENDENCIES[values.dependencies]
  if (values.mirrors === undefined || !existsSync(values.mirrors) || kinds === undefined) {
    console.error("usage: bun test/real/run-all.ts --mirrors DIR [--dependencies both|with|without] [--out FILE] ...")
    return 2
  }
  const lines = [...TABLE_HEAD]
  let failures = 0
  const note = (line: string) => {
    lines.push(line)
    console.log(line)
    if (values.out !== undefined) writeFileSync(values.out, `${lines.join("\n")}\n`)
  }
  console.log(TABLE_HEAD.join("\n"))
  for (const name of REPOSITORIES.filter((each) => each.includes(values.only ?? ""))) {
    const mirror = findMirror(values.mirrors, name)
    if (mirror === undefined) {
      console.error(`${name}: no mirror in ${values.mirrors}`)
      continue
    }
    for (const withDependencies of kinds) {
      const done = await replayOne(name, mirror, {
        ...{ commits: Number(values.commits), workers: values.workers, withDependencies },
        ...{ timeoutMs: Number(values.timeout) * 1000, program: values.program?.split(" ") },
      })
      if (done === undefined) continue
      if (!done.isGood) failures++
      note(done.row)
    }
  }
  if (lines.length === TABLE_HEAD.length) return 2
  return failures > 0 ? 1 : 0
}

async function replayOne(name: string, mirror: string, options: ReplayOptions) {
  try {
    const replay = await replayHistory(mirror, options)
    return { row: tableRow({ ...replay, repository: name }), isGood: replay.outcome.isGood }
  } catch (error) {
    if (error instanceof IncompleteCopy) {
      console.error(`${name}: not replayed: ${error.message}`)
      return undefined
    }
    const why = (error instanceof Error ? error.message : String(error)).split("\n")[0]
    return { row: `| ${name} | | | | FAIL: cannot be replayed: ${why} | | |`, isGood: false }
  }
}

/** The bare git directory in `DIR/owner+name`, or that folder itself. */
function findMirror(mirrors: string, name: string): string | undefined {
  const folder = join(mirrors, name.replace("/", "+"))
  if (!existsSync(folder)) return undefined
  const isGit = (path: string) => existsSync(join(path, "HEAD")) || existsSync(join(path, ".git"))
  const inside = readdirSync(folder).map((entry) => join(folder, entry))
  return [folder, ...inside.filter((path) => statSync(path).isDirectory())].find(isGit)
}
