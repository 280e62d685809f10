import { findWrite, type ToolCall } from "../../ownership/find-write.ts"
import { judgePath, type PathJudgement } from "../../ownership/judge-path.ts"
import { judgeDelegation } from "../../sessions/delegation.ts"
import { isTeamOver, seatRules } from "../../sessions/operations/seat-rules.ts"
import type { Seat } from "../../sessions/seat.ts"
import { type HookCall, type HookHandler, type HookScene, NO_ANSWER } from "./hook-call.ts"
import { repositoryPaths } from "./repository-paths.ts"

/** The commit checks what a shell command writes. */
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
  const { host, configured, seat } = scene
  const { pathsOf } = pathsFor(call, scene)
  const own = [`${configured.home}/`, `${host.userHome}/.claude/`]
  const foreign = [`${configured.home}/worktrees/`, `${configured.home}/runs/`]
  return judgeDelegation(asked, {
    // Where programs resolve the path differently, both results must be allowed.
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
  // Files outside the repository belong to the user.
  const files = write.files.flatMap((file) => pathsOf(file)).filter((path) => path !== undefined)
  if (files.length === 0) return undefined
  const { seat, context } = scene
  const rules = await seatRules(context, seat)
  if (rules.length === 0)
    return `worker ${seat.worker} holds no task, so it cannot write in the repository; claim one: teamwork task claim --next --owner ${seat.worker} (or leave the team: teamwork leave)`
  for (const file of files) {
    const judged = rules.map((ownership) => judgePath(file, ownership))
    if (!judged.some(({ allowed }) => allowed)) return reasonOf(judged[0], seat)
  }
  return undefined
}

function reasonOf(judged: PathJudgement | undefined, { part }: Seat): string {
  const { message, owner } = judged ?? { message: "it may not be written", owner: null }
  if (part === "worker" || owner === null) return message
  return `${message}; leave it to the worker of that task: teamwork mailbox send --from orchestrator --to WORKER --message '...'`
}

function pathsFor({ cwd }: HookCall, { host, folder }: HookScene) {
  return repositoryPaths({ folder: folder || cwd || host.io.cwd, cwd: cwd || host.io.cwd, userHome: host.userHome })
}
