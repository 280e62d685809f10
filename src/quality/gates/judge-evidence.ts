import { type Evidence, findPattern } from "../../tasks/evidence.ts"

/** What a gate asks of a task's evidence. */
export interface EvidenceDemand {
  readonly taskId: string
  /** Of the present attempt, without what was withdrawn. */
  readonly evidence: readonly Evidence[]
  readonly atLeast: number
  /** One entry must be something that teamwork saw succeed itself. */
  readonly needsAttested: boolean
  /** Commands that count as proof although they failed, since they failed before as well. */
  readonly accepted?: ReadonlySet<string>
}

export interface EvidenceWords {
  readonly blockedPatterns: readonly string[]
  readonly warnPatterns: readonly string[]
}

/** What is missing in a task's evidence, and what it says that is no proof. */
export function judgeEvidence(
  { taskId, evidence, atLeast, needsAttested, accepted }: EvidenceDemand,
  words: EvidenceWords,
): { errors: string[]; warnings: string[] } {
  const errors: string[] = []
  const warnings: string[] = []
  if (evidence.length < atLeast) {
    const count = evidence.length === 0 ? "no evidence" : `only ${evidence.length} of ${atLeast} entries of evidence`
    errors.push(`task ${taskId} has ${count}; add some: teamwork evidence add ${taskId} --add-evidence "..."`)
  }
  if (needsAttested && !evidence.some((entry) => isProof(entry) || isAccepted(entry, accepted))) {
    errors.push(
      `task ${taskId} has nothing that teamwork saw succeed; have it run: teamwork evidence run ${taskId} -- COMMAND`,
    )
  }
  for (const { number, text } of evidence) {
    const blocked = findPattern(text, words.blockedPatterns)
    const warned = findPattern(text, words.warnPatterns)
    if (blocked !== undefined) errors.push(`evidence ${number} of task ${taskId} says "${blocked}": ${firstLine(text)}`)
    else if (warned !== undefined)
      warnings.push(`evidence ${number} of task ${taskId} says "${warned}": ${firstLine(text)}`)
  }
  return { errors, warnings }
}

/** Something that teamwork saw succeed itself. */
export function isProof({ trust, type, facts }: Evidence): boolean {
  return trust === "attested" && type === "command" && facts.exitCode === 0
}

function isAccepted({ trust, type, facts }: Evidence, accepted: EvidenceDemand["accepted"]): boolean {
  return trust === "attested" && type === "command" && accepted?.has(facts.command ?? "") === true
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 120)
}
