import { type Evidence, findPattern } from "../../tasks/evidence.ts"

export interface EvidenceDemand {
  readonly taskId: string
  /** Of this attempt, not withdrawn. */
  readonly evidence: readonly Evidence[]
  readonly atLeast: number
  /** One entry must be a command that teamwork ran with success. */
  readonly needsAttested: boolean
  /** Commands that count although they failed, because they failed before. */
  readonly accepted?: ReadonlySet<string>
}

export interface EvidenceWords {
  readonly blockedPatterns: readonly string[]
  readonly warnPatterns: readonly string[]
}

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
  if (needsAttested && !evidence.some((entry) => isProof(entry, accepted))) {
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

/** A command that teamwork ran, with success or as an accepted one. */
export function isProof({ trust, type, facts }: Evidence, accepted?: EvidenceDemand["accepted"]): boolean {
  const isGood = facts.exitCode === 0 || accepted?.has(facts.command ?? "") === true
  return trust === "attested" && type === "command" && isGood
}

function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 120)
}
