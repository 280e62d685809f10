import { findWrite, type ToolCall } from "../../../ownership/find-write.ts"
import { judgePath, type PathJudgement } from "../../../ownership/judge-path.ts"
import { isTeamOver, seatRules } from "../../../sessions/operations/seat-rules.ts"
import type { Seat } from "../../../sessions/seat.ts"
import type { HookHandler, HookScene } from "../handler.ts"
import { type HookCall, NO_ANSWER } from "../hook-call.ts"
import { repositoryPaths } from "../repository-paths.ts"

/** Holds a session to what its part in the team lets it do. What a command in a shell writes is seen at the commit. */
export const preToolUse: HookHandler = async (call, scene) => {
  const { tool } = call
  if (tool === null || scene.seat === null) return NO_ANSWER
  const asked = { tool: tool.name, input: tool.input }
  const reason =
    scene.seat.part === "lead" && scene.seat.delegation === "strict"
      ? await judgeLead(asked, call, { ...scene, seat: scene.seat })
      : await judgeWriter(asked, call, { ...scene, seat: scene.seat })
  return reason === undefined ? NO_ANSWER : { kind: "deny", reason }
}

async function judgeLead(
  asked: ToolCall,
  call: HookCall,
  scene: HookScene & { readonly seat: Seat },
): Promise<string | undefined> {
  const { judgeDelegation } = await import("../../../sessions/delegation.ts")
  const { host, configured, seat } = scene
  const { pathsOf } = pathsFor(call, scene)
  const own = [`${configured.home}/`, `${host.userHome}/.claude/`]
  const foreign = [`${configured.home}/worktrees/`, `${configured.home}/runs/`]
  return judgeDelegation(asked, {
    // Where it depends on who reads the path, both have to be harmless.
    inside(path) {
      const [first, ...others] = pathsOf(path)
      return others.every((other) => other === first) ? first : OUT_OF_REACH
    },
    isOurs(path) {
      const isPlain = !path.split("/").includes("..")
      return isPlain && own.some((start) => path.startsWith(start)) && !foreign.some((start) => path.startsWith(start))
    },
    self: host.self,
    isOver: await isTeamOver(scene.context, seat),
  })
}

/** Below nothing that anybody may read or write. */
const OUT_OF_REACH = ".."

async function judgeWriter(
  asked: ToolCall,
  call: HookCall,
  scene: HookScene & { readonly seat: Seat },
): Promise<string | undefined> {
  const write = findWrite(asked)
  if (write === undefined) return undefined
  if ("problem" in write) return write.problem
  const { pathsOf } = pathsFor(call, scene)
  // What is not in the repository is nobody's but the user's.
  const files = write.files.flatMap((file) => pathsOf(file)).filter((path) => path !== undefined)
  if (files.length === 0) return undefined
  const { seat, context } = scene
  const rules = await seatRules(context, seat)
  if (rules.length === 0)
    return `worker ${seat.worker} holds no task, and without one nothing in the repository is written; claim one: teamwork task claim --next --owner ${seat.worker} (or leave the team: teamwork leave)`
  for (const file of files) {
    const judged = rules.map((ownership) => judgePath(file, ownership))
    if (!judged.some(({ allowed }) => allowed)) return reasonOf(judged[0], seat)
  }
  return undefined
}

function reasonOf(judged: PathJudgement | undefined, { part }: Seat): string {
  const { message, owner } = judged ?? { message: "it may not be written", owner: null }
  if (part === "worker" || owner === null) return message
  return `${message}; leave it to whoever does that task: teamwork mailbox send --from orchestrator --to WORKER --message '...'`
}

function pathsFor({ cwd }: HookCall, { host, folder }: HookScene) {
  return repositoryPaths({ folder: folder || cwd || host.io.cwd, cwd: cwd || host.io.cwd, userHome: host.userHome })
}
