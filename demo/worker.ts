// One worker of the demo, a process of its own that knows nothing but the command line: claim the next task, do it, let
// teamwork run the check, resolve; with nothing to do, wait for messages. A real agent does the same with more skill.
// Arguments: repository, name, role, and the task from which on it dawdles (0: never).
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Answer, callTeamwork } from "./stage.ts"

const [repository = "", name = "", role = "", dawdlesFrom = "0"] = process.argv.slice(2)
const stage = { repository, env: process.env as Record<string, string> }
const LEASE_SECONDS = 2
const WORK_MS = 400
const DAWDLE_MS = 20_000
const LIFETIME_MS = 40_000

interface Mail {
  data: { from: string; type: string; payload: { message?: string; request_id?: string } }[]
}

setTimeout(() => process.exit(1), LIFETIME_MS).unref()
endWithTheDemo()
await teamwork(["worker", "setup", "--worker-id", name, "--role", role])
for (;;) {
  const claim = await teamwork(["task", "claim", "--next", ...me(), "--role", role, ...lease()])
  const id = /^Task (\S+) is/.exec(claim.stdout)?.[1]
  if (id === undefined) {
    if (await isToldToStop()) break
    continue
  }
  console.log(claim.stdout.trim())
  await work(id, claim.stdout)
}
process.exit(0)

async function work(id: string, title: string): Promise<void> {
  const file = `src/task-${id}.txt`
  mkdirSync(join(repository, "src"), { recursive: true })
  writeFileSync(join(repository, file), `done: ${title}`)
  const dawdles = Number(dawdlesFrom) > 0 && Number(id) >= Number(dawdlesFrom)
  await Bun.sleep(dawdles ? DAWDLE_MS : WORK_MS)
  const evidence = await teamwork(["evidence", "run", "--id", id, ...me(), "--", "grep", "-c", "done", file])
  if (evidence.exitCode === 0) console.log(evidence.stdout.trim())
  const result = ["--status", "resolved", "--result", `wrote ${file}`, "--worker-id", name]
  const resolved = await teamwork(["task", "update", id, ...me(), ...result])
  console.log((resolved.stdout + resolved.stderr).trim())
}

async function isToldToStop(): Promise<boolean> {
  const answer = await teamwork(["mailbox", "poll", name, "--timeout", "0.5", "--mark-read", "--json"])
  const { data }: Mail = answer.exitCode === 0 ? JSON.parse(answer.stdout) : { data: [] }
  for (const { from, type, payload } of data) {
    if (type === "text") console.log(`Message from ${from}: ${payload.message}`)
    if (type !== "shutdown_request") continue
    const response = JSON.stringify({ request_id: payload.request_id, approved: true })
    await teamwork([
      ...["mailbox", "send", "--from", name, "--to", from],
      ...["--type", "shutdown_response", "--payload", response],
    ])
    return true
  }
  return false
}

function me(): string[] {
  return ["--owner", name]
}

function lease(): string[] {
  return ["--lease-seconds", String(LEASE_SECONDS)]
}

function teamwork(args: readonly string[]): Promise<Answer> {
  return callTeamwork(stage, args)
}

/** Its end closes our standard input, however it ended. */
function endWithTheDemo(): void {
  const listen = async () => {
    for await (const _ of console);
    process.exit(1)
  }
  listen().catch(() => process.exit(1))
}
