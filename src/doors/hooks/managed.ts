import * as v from "valibot"
import type { Command, CommandRow, Session } from "../../app/command.ts"
import type { Host } from "../../app/host.ts"
import { makeContext } from "../../app/open-session.ts"
import { AppError } from "../../kernel/errors.ts"
import { followLinks } from "../../lib/follow-links.ts"
import { sleep } from "../../lib/sleep.ts"
import type { ToolCall } from "../../ownership/find-write.ts"
import type { Ownership } from "../../ownership/judge-path.ts"
import { ownershipFacts } from "../../ownership/operations/ownership-facts.ts"
import { type ClaimPlace, judgeWrite, type WriteRules } from "../../ownership/owned-files.ts"
import { cliWords } from "../cli/cli-words.ts"
import { objectOf } from "./raw.ts"

/** Agents treat this exit code as a denial, with the reason on standard error. */
const DENIED = 2
/** After a longer wait, an agent would allow the write. */
const LONGEST_MS = 5000

/**
 * Checks what the agent of a worker writes. The rules file from the agent's start allows owned files at once.
 * Before a denial we ask the store, since the lead may have granted the file. Any failure denies.
 */
export async function answerManaged(
  { host, commands }: Pick<Session, "host" | "commands">,
  event: string,
  file: string,
): Promise<Awaited<ReturnType<Command["run"]>>> {
  const objection = await judge(host, event, file).catch(async (error) => {
    const why = await tellAgent(error, commands)
    return `teamwork cannot check whether you may write this, so it is refused: ${why.replaceAll(/\s+/g, " ").slice(0, 300)}`
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
  // Shared files depend on settings that a hook may not have.
  const ownership = { ...now, shared: rules.ownership?.shared ?? now.shared }
  return judgeWrite(call, { ...rules, ownership }, followLinks)
}

const patterns = v.array(v.string())
/** We wrote the file, but an agent may have changed it. */
const Rules = v.looseObject({
  workspace: v.pipe(v.string(), v.startsWith("/")),
  ownership: v.looseObject({ others: v.array(v.unknown()), granted: patterns, shared: patterns }),
})

function readRules(value: unknown): WriteRules {
  if (!v.is(Rules, value)) throw new AppError("usage", "the file that says what is owned was changed")
  const { workspace, ownership, claim } = value as unknown as WriteRules
  return { workspace, ownership, ...(claim === undefined ? {} : { claim }) }
}

const Call = v.looseObject({ tool_name: v.pipe(v.string(), v.minLength(1)) })

function readCall(value: unknown): ToolCall {
  if (!v.is(Call, value)) throw new AppError("usage", "the call names no tool")
  return { tool: value.tool_name, input: objectOf(value.tool_input) }
}

export async function tellAgent(error: unknown, commands: readonly CommandRow[]): Promise<string> {
  if (error instanceof AppError) return error.tell(await cliWords(error, commands))
  return error instanceof Error ? error.message : String(error)
}

/** Undefined when the store does not answer or the claim is lost. */
async function askStore(
  host: Host,
  { project, team, run, task, owner, token, store: address }: ClaimPlace,
): Promise<Ownership | undefined> {
  try {
    const configured = await host.configure({ project, team, store: address })
    if (!(await configured.hasStore())) return undefined
    await using store = await configured.openStore()
    const context = makeContext(host, configured, store)
    const name = { project, team, run }
    return (await ownershipFacts.run(context, { ...name, task, owner, token })).ownership
  } catch {
    // The rules file decides.
    return undefined
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return Promise.race([work, sleep(ms).then(() => undefined)])
}
