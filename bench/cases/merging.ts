import { join } from "node:path"
import type { Candidate } from "../../src/delivery/merge-queue/candidate.ts"
import { mergeBatch } from "../../src/delivery/merge-queue/merge-batch.ts"
import { makeGit } from "../../src/git/git.ts"
import { makeMerges } from "../../src/git/merges/git-merges.ts"
import { parseTaskId } from "../../src/kernel/ids.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { sleep } from "../../src/lib/sleep.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"

const FILES = 10_000
const BRANCHES = 50
const FILES_PER_BRANCH = 3
const ROUNDS = 3
const INTEGRATION = "refs/heads/teamwork/house/main/integration"

export const merging: BenchCase = {
  name: "merging",
  summary: "50 branches without conflict merged in a repository of 10,000 files, against checkout and git merge",
  async run({ sandbox, say }) {
    const folder = sandbox.folder("merging")
    const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Bench"],
      [`GIT_${who}_EMAIL`, "bench@example.com"],
    ])
    const env = sandbox.env(Object.fromEntries(identity))
    const git = makeGit(folder, { capture, env, sleep })
    say(`making a repository of ${FILES} files and ${BRANCHES} branches`)
    await git.read(["init", "--quiet", "--initial-branch=main"])
    await git.read(["fast-import", "--quiet"], { input: history() })
    await git.read(["reset", "--quiet", "--hard", "main"])
    const base = await git.read(["rev-parse", "main"])
    const heads = (await git.read(["for-each-ref", "--format=%(objectname)", "refs/heads/work"])).split("\n")
    const merges = makeMerges(git, { ids: systemIds, env, sleep })
    const candidates = heads.map((head, index) => candidateOf(index + 1, base, head))
    const trees: string[] = []
    const times = await takeTurns(
      {
        ours: async () => {
          await git.read(["update-ref", INTEGRATION, base])
          const ports = { merges, gate: async () => PASSED, scope: async () => [] }
          const start = performance.now()
          const report = await mergeBatch(ports, { branch: INTEGRATION, candidates, others: heads })
          const ms = performance.now() - start
          if (report.outcomes.some(({ outcome }) => outcome.kind !== "merged")) throw new Error("not all were merged")
          trees.push(await merges.tree(report.after))
          return ms
        },
        theirs: async () => {
          await git.read(["checkout", "--quiet", "-B", "by-hand", base])
          const start = performance.now()
          for (const head of heads) {
            const child = Bun.spawn(["git", "merge", "--quiet", "--no-ff", "-m", "merge", head], { cwd: folder, env })
            if ((await child.exited) !== 0) throw new Error(`git merge of ${head} failed`)
          }
          const ms = performance.now() - start
          trees.push(await merges.tree("by-hand"))
          return ms
        },
      },
      ROUNDS,
    )
    if (new Set(trees).size !== 1) throw new Error("the two ways gave different files")
    const [ours, theirs] = [median(times.ours), median(times.theirs)]
    const figures = `${show(ours / BRANCHES)} ms against ${show(theirs / BRANCHES)} ms for each branch`
    return [{ what: "50 branches, 10,000 files", value: ours / theirs, unit: "x", limit: { atMost: 0.25 }, figures }]
  },
}

const PASSED = { status: "passed", checks: [], issues: [], output: "" } as const

function candidateOf(number: number, base: string, head: string): Candidate {
  const more = { title: `Task ${number}`, worker: `w${number}`, alsoFor: [], mayContain: [], mustContain: [] }
  return { taskId: parseTaskId(String(number)), attempt: 1, base, head, ...more }
}

/** One commit with all files, and on top of it one of each branch with files of its own changed. */
function history(): string {
  const line = (index: number) => `export const value${index} = ${index}\n`.repeat(20)
  const path = (index: number) => join("src", `folder${index % 100}`, `file${index}.ts`)
  const file = (index: number, content: string) => `M 100644 inline ${path(index)}\n${data(content)}`
  const commit = (ref: string, files: string, from = "") =>
    `commit ${ref}\ncommitter Bench <bench@example.com> 1700000000 +0000\n${data("x")}${from}${files}\n`
  const all = Array.from({ length: FILES }, (_, index) => file(index, line(index))).join("")
  const branches = Array.from({ length: BRANCHES }, (_, branch) => {
    const own = Array.from({ length: FILES_PER_BRANCH }, (_, index) => {
      const number = branch * FILES_PER_BRANCH + index
      return file(number, `${line(number)}// changed by ${branch}\n`)
    })
    return commit(`refs/heads/work/${branch}`, own.join(""), "from refs/heads/main\n")
  })
  return [commit("refs/heads/main", all), ...branches].join("")
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`
}
