// Where the program starts. Agent programs call a hook at every use of a tool. Most sessions are in no team, and most tools
// write nothing or only files of the session's own task: return early, because these calls need no answer.
import { teamworkHomeOf } from "../app/config/environment.ts"

/** How many times more often code must run before it is compiled. */
const LATE_COMPILATION = 300

if (!hasFolder()) {
  if (process.argv[2] !== "hook") {
    const message = "the current folder was deleted; change to another folder"
    const isJson = process.argv.includes("--json")
    console.error(
      isJson ? JSON.stringify({ status: "error", code: "usage", message, details: {} }) : `Error: ${message}`,
    )
    process.exit(2)
  }
  // A hook uses the folder that its call names. A failed hook would count as a permission.
  process.chdir("/")
}
if (process.argv[2] === "hook") {
  // Nothing here runs often enough to be worth compiling.
  Bun.unsafe.setJITPolicy(1000)
  if (await canSkip()) process.exit(0)
  Bun.unsafe.setJITPolicy(1)
}
// A team mostly waits for agents, so compiling early costs more than it saves: a tenth of its CPU and 10 MB of each process
// with quick agents. Code that runs often is still compiled, only later.
if (process.argv[2] === "run" || process.argv[2] === "worker") Bun.unsafe.setJITPolicy(LATE_COMPILATION)
await import("./main.ts")

function hasFolder(): boolean {
  try {
    return process.cwd() !== ""
  } catch {
    return false
  }
}

async function canSkip(): Promise<boolean> {
  const { needsNoAnswer } = await import("../doors/hooks/needs-no-answer.ts")
  const { env } = process
  const home = teamworkHomeOf(env)
  return needsNoAnswer(process.argv.slice(2), home, async (call, marker) =>
    (await import("./own-write.ts")).isOwnWrite(call, marker, { env, home }),
  )
}
