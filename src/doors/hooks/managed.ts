import type { Command, Session } from "../../app/command.ts"
import type { Host } from "../../app/host.ts"
import { makeContext } from "../../app/open-session.ts"
import { AppError } from "../../kernel/errors.ts"
import { followLinks } from "../../lib/follow-links.ts"
import type { ToolCall } from "../../ownership/find-write.ts"
import type { Ownership } from "../../ownership/judge-path.ts"
import { type ClaimPlace, judgeWrite, type WriteRules } from "../../ownership/owned-files.ts"
import { tellAgent } from "./tell-agent.ts"

/** What agents take for a denial, with the reason on standard error. */
const DENIED = 2
/** After longer an agent would take the silence for a yes. */
const LONGEST_MS = 5000

/**
 * Holds the agent of a worker to what it may write. The file was written when the agent was started, and decides at once
 * for what is owned; what it denies is asked again of the store, where the lead may have granted it since. Whatever goes
 * wrong is a denial.
 */
export async function answerManaged(
  { host, commands }: Pick<Session, "host" | "commands">,
  event: string,
  file: string,
): Promise<Awaited<ReturnType<Command["run"]>>> {
  const objection = await judge(host, event, file).catch(async (error) => {
    const why = await tellAgent(error, commands)
    return `teamwork cannot tell whether this may be written, so it may not: ${why.replaceAll(/\s+/g, " ").slice(0, 300)}`
  })
  if (objection === undefined) return { data: null, silent: true }
  host.io.err(objection)
  return { data: null, silent: true, exitCode: DENIED }
}

async function judge(host: Host, event: string, file: string): Promise<string | undefined> {
  if (event !== "pre-tool-use") throw new AppError("usage", (say) => `${say.field("managed")} goes with pre-tool-use`)
  const rules = readRules(await Bun.file(file).json())
  const call = readCall(JSON.parse(await host.io.input()))
  const objection = judgeWrite(call, rules, followLinks)
  if (objection === undefined || rules.claim === undefined) return objection
  const now = await within(LONGEST_MS, askStore(host, rules.claim))
  if (now === undefined) return objection
  // Which files are shared depends on settings that need not reach a hook.
  const ownership = { ...now, shared: rules.ownership?.shared ?? now.shared }
  return judgeWrite(call, { ...rules, ownership }, followLinks)
}

/** We wrote it ourselves; but an agent may have laid hands on it. */
function readRules(value: unknown): WriteRules {
  const { workspace, ownership, claim } = (value ?? {}) as Partial<WriteRules>
  const isWhole =
    typeof workspace === "string" && workspace.startsWith("/") && typeof ownership === "object" && ownership !== null
  if (!isWhole || !["others", "granted", "shared"].every((list) => Array.isArray(ownership[list as "others"])))
    throw new AppError("usage", "the file that says what is owned was changed")
  return { workspace, ownership, ...(claim === undefined ? {} : { claim }) }
}

function readCall(value: unknown): ToolCall {
  const { tool_name: tool, tool_input: input } = (value ?? {}) as Record<string, unknown>
  if (typeof tool !== "string" || tool === "") throw new AppError("usage", "the call names no tool")
  return { tool, input: typeof input === "object" && input !== null ? (input as ToolCall["input"]) : {} }
}

/** Who may write what as things stand; undefined where that cannot be told, or the claim is lost. */
async function askStore(
  host: Host,
  { project, team, run, task, owner, token, store: address }: ClaimPlace,
): Promise<Ownership | undefined> {
  try {
    const configured = await host.configure({ project, team, store: address })
    if (!(await configured.hasStore())) return undefined
    const { ownershipFacts } = await import("../../ownership/operations/ownership-facts.ts")
    await using store = await configured.openStore()
    const context = makeContext(host, configured, store)
    return (await ownershipFacts.run(context, { ...{ project, team, run }, task, owner, token })).ownership
  } catch {
    // What the file says stands: nobody can be asked.
    return undefined
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const { sleep } = await import("../../lib/sleep.ts")
  return Promise.race([work, sleep(ms).then(() => undefined)])
}
