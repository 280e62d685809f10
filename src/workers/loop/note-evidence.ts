import type { AgentResult } from "../../agents/port.ts"
import type { AsideResult } from "../../git/port.ts"
import { shorten } from "../../prompts/views/fit-sections.ts"
import { findPattern, type NewEvidence } from "../../tasks/evidence.ts"
import { listEvidence, recordEvidence } from "../../tasks/operations/record-evidence.ts"
import type { Hold } from "./hold-claim.ts"
import type { Shift } from "./shift.ts"

const MOST_FILES = 20
const MAX_ANSWER = 2000
const ACTIONS = { added: "created", modified: "modified", mode: "modified", deleted: "deleted" } as const

/**
 * What a turn leaves behind as evidence: the files that its commit changed, which we saw ourselves; where it changed
 * none, as a review does, what the agent said.
 */
export async function noteEvidence(
  { ports, team, worker }: Shift,
  { task, token }: Hold,
  { result, delivered }: { readonly result: AgentResult; readonly delivered: AsideResult },
): Promise<void> {
  const answer = ports.mask(shorten(result.answer.trim(), MAX_ANSWER))
  const entries = delivered.kept.length > 0 ? filesOf(delivered) : answer === "" ? [] : [noteOf(answer)]
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
  if (added.length === 0) return
  await recordEvidence(ports.context, { ...team, taskId: task.id, owner: worker, token, entries: added })

  function noteOf(text: string): NewEvidence {
    const blockedPattern = findPattern(text, ports.context.settings.blockedPatterns) ?? null
    return { type: "note", trust: "reported", text, facts: {}, blockedPattern }
  }
}

function filesOf({ kept, head }: AsideResult): NewEvidence[] {
  return kept.slice(0, MOST_FILES).map(({ path, change }) => ({
    ...{ type: "file", trust: "attested", text: "", blockedPattern: null },
    facts: { path, action: ACTIONS[change], commit: head },
  }))
}
