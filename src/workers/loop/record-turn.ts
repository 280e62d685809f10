// The results of an agent's turn: evidence, findings, notes for others, and a closing block that may end the attempt.
import type { AgentResult } from "../../agents/port.ts"
import type { AsideResult } from "../../git/port.ts"
import { AppError } from "../../kernel/errors.ts"
import { addWisdom } from "../../knowledge/operations/keep-wisdom.ts"
import { askException } from "../../ownership/operations/exceptions.ts"
import { waitForAnswer } from "../../ownership/operations/wait-for-answer.ts"
import { reportGap } from "../../planning/operations/role-gap.ts"
import { shorten } from "../../prompts/views/fit-sections.ts"
import { recordTaskFindings } from "../../quality/operations/task-findings.ts"
import { escalate } from "../../requests/operations/escalations.ts"
import { type ClosingBlock, readClosingBlock } from "../../tasks/closing-block.ts"
import { findPattern, type NewEvidence } from "../../tasks/evidence.ts"
import { listEvidence, recordEvidence as storeEvidence } from "../../tasks/operations/record-evidence.ts"
import type { ClaimHandle } from "./claim-handle.ts"
import { Setback } from "./setback.ts"

const MOST_FILES = 20
const MAX_ANSWER = 2000
const ACTIONS = { added: "created", modified: "modified", mode: "modified", deleted: "deleted" } as const

/** The changed files; without any, as in a review, the agent's answer. */
export async function recordEvidence(
  { ports, team, fence, task }: ClaimHandle,
  { result, delivered }: { readonly result: Pick<AgentResult, "answer">; readonly delivered: AsideResult },
): Promise<void> {
  const { kept, head } = delivered
  const answer = ports.mask(shorten(result.answer.trim(), MAX_ANSWER))
  const files = kept.slice(0, MOST_FILES).map(({ path, change }): NewEvidence => {
    const facts = { path, action: ACTIONS[change], commit: head }
    return { type: "file", trust: "attested", text: "", blockedPattern: null, facts }
  })
  const blockedPattern = findPattern(answer, ports.context.settings.blockedPatterns) ?? null
  const note: NewEvidence = { type: "note", trust: "reported", text: answer, facts: {}, blockedPattern }
  const entries = files.length > 0 ? files : answer === "" ? [] : [note]
  if (entries.length === 0) return
  const known = await listEvidence.run(ports.context, { ...team, id: task.id })
  const isKnown = (entry: NewEvidence) =>
    known.some(
      ({ attempt, withdrawnAt, type, facts, text }) =>
        attempt === task.attempt &&
        withdrawnAt === null &&
        type === entry.type &&
        text === entry.text &&
        facts.path === entry.facts.path &&
        facts.action === entry.facts.action,
    )
  const added = entries.filter((entry) => !isKnown(entry))
  if (added.length > 0) await storeEvidence(ports.context, { ...fence, taskId: task.id, entries: added })
}

interface Answered {
  readonly closing: ClosingBlock
  readonly answer: string
  readonly commit: string
  readonly agent: string
}

/** Recorded before the gate, so that a failure or a crash loses no finding. */
export async function recordFindings(
  { ports, team, worker, task }: ClaimHandle,
  { closing, answer, commit, agent }: Answered,
): Promise<void> {
  const found = { task: task.id, findings: closing.findings, answer: ports.mask(answer), commit, agent, by: worker }
  const recorded = await recordTaskFindings(ports.context, team, found)
  for (const { number, severity } of recorded) ports.say(`Task ${task.id} reports finding ${number} (${severity})`)
}

/** Safe to repeat: the store only counts a note that it has. */
export async function recordWisdom(
  { ports, team, worker, task }: ClaimHandle,
  { notes }: Pick<ClosingBlock, "notes">,
): Promise<void> {
  for (const { kind, text } of notes)
    await addWisdom.run(ports.context, { ...team, kind, text, task: task.id, by: worker })
}

/** Without secrets. */
export function readClosing({ ports }: ClaimHandle, { answer, structured }: AgentResult): ClosingBlock {
  const masked = structured === null ? null : JSON.parse(ports.mask(JSON.stringify(structured)))
  return readClosingBlock(ports.mask(answer), masked)
}

interface Ended {
  readonly closing: ClosingBlock
  /** Null for a run that only answers. */
  readonly delivered: AsideResult | null
  readonly agent: string
}

/**
 * Returns only when the work can be judged: not when the agent asks a question, lacks a capability or reports a
 * failure. The work is pinned by then.
 */
export async function followClosing(claim: ClaimHandle, { closing, delivered, agent }: Ended): Promise<void> {
  const { outcome, reason, gap } = closing
  if (outcome === "failed" || outcome === "escalate") await recordWisdom(claim, closing)
  if (outcome === "escalate") await escalateTask(claim, closing)
  if (delivered !== null) await waitForFiles(claim, delivered)
  if (gap !== null) await fillGap(claim, gap)
  if (outcome === "failed")
    throw new Setback("agent-failed", `its agent says that it failed: ${reason || NO_REASON}`, { agent })
}

const NO_REASON = "it gave no reason"

async function escalateTask(
  { ports, team, worker, task }: ClaimHandle,
  { reason, trigger }: ClosingBlock,
): Promise<never> {
  const summary = reason || NO_REASON
  const asked = { task: task.id, owner: worker, summary, trigger: trigger ?? "requirement_unclear" } as const
  const { number } = await escalate.run(ports.context, { ...team, ...asked })
  ports.say(`Task ${task.id} waits for a decision (${trigger}): ${summary}; see: teamwork escalations`)
  throw new AppError("claim.lost", `task ${task.id} waits for a decision on escalation ${number}`)
}

/** Makes a role with the capability, and releases the task until the task of that role is done. */
async function fillGap({ ports, fence, task }: ClaimHandle, capability: string): Promise<void> {
  const gap = await reportGap.run(ports.context, { ...fence, task: task.id, capability })
  ports.say(`Task ${task.id} lacks a capability (${capability}): ${gap.why}`)
  if (gap.task !== null) throw new AppError("claim.lost", `task ${task.id} waits for ${gap.task}`)
}

/** The commit that was set aside shows the rest. */
const MOST_ASKED = 20
const OF_OTHERS: readonly string[] = ["not_owned", "owned_by_other"]

/**
 * A task that asked for files of another task waits for the answer. So does a task with all its work in such files:
 * another run would end the same way.
 */
async function waitForFiles({ ports, fence, task }: ClaimHandle, { kept, aside }: AsideResult): Promise<void> {
  const asker = { ...fence, task: task.id }
  const isAllAside = kept.length === 0 && aside?.changes.every(({ reason }) => OF_OTHERS.includes(reason)) === true
  for (const { path } of isAllAside ? aside.changes.slice(0, MOST_ASKED) : []) {
    const reason = "all the task did is in files of other tasks"
    await askException.run(ports.context, { ...asker, path, reason }).catch((error) => {
      // Already allowed, or its name cannot be a pattern: the gate decides.
      if (!(error instanceof AppError && ["ownership.decided", "input.invalid"].includes(error.code))) throw error
    })
  }
  const asked = await waitForAnswer(ports.context, asker)
  if (asked.length === 0) return
  ports.say(`Task ${task.id} waits for an answer on ${asked.map(({ pattern }) => pattern).join(", ")}`)
  throw new AppError("claim.lost", `task ${task.id} waits for an answer on files that it does not own`)
}
