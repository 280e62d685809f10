// Where the program starts. Agent programs call a hook at every use of a tool; most sessions take part in no team, and most
// tools write nothing, or what is the session's own: these calls are let go here, before anything else is loaded.
import { teamworkHomeOf } from "../app/config/environment.ts"

/** As many times more runs than usual until code is compiled. */
const RELUCTANT = 300

if (!hasFolder()) {
  if (process.argv[2] !== "hook") {
    const message = "the folder that you are in is gone; go to another one"
    const isJson = process.argv.includes("--json")
    console.error(
      isJson ? JSON.stringify({ status: "error", code: "usage", message, details: {} }) : `Error: ${message}`,
    )
    process.exit(2)
  }
  // A hook goes by the folder that its call names, and one that failed would be taken for a yes.
  process.chdir("/")
}
if (process.argv[2] === "hook") {
  // Nothing of this runs often enough to be worth compiling.
  Bun.unsafe.setJITPolicy(1000)
  if (await isLetGo()) process.exit(0)
  Bun.unsafe.setJITPolicy(1)
}
// A team waits for agents, and compiles what little it runs in vain: with quick agents that took a tenth of its CPU and 10 MB
// of each process. What really runs often is compiled all the same, only later.
if (process.argv[2] === "run" || process.argv[2] === "worker") Bun.unsafe.setJITPolicy(RELUCTANT)
await import("./main.ts")

function hasFolder(): boolean {
  try {
    return process.cwd() !== ""
  } catch {
    return false
  }
}

async function isLetGo(): Promise<boolean> {
  const { needsNoAnswer } = await import("../doors/hooks/needs-no-answer.ts")
  const { env } = process
  const home = teamworkHomeOf(env)
  return needsNoAnswer(process.argv.slice(2), home, async (call, marker) =>
    (await import("./own-write.ts")).isOwnWrite(call, marker, { env, home }),
  )
}
