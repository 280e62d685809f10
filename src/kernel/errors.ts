import { commandLine } from "./command-line.ts"
import { introduce, type Remedy, type Words } from "./remedy.ts"

/** The codes of all expected failures. Scripts rely on codes; messages are for people. */
export const ERROR_CODES = [
  "usage",
  "internal",
  "input.invalid",
  "plan.invalid",
  "plan.not_found",
  "plan.started",
  "project.not_found",
  "project.elsewhere",
  "project.not_linked",
  "repository.read_only",
  "team.not_found",
  "team.exists",
  "team.paused",
  "team.busy",
  "team.led",
  "run.closed",
  "run.none",
  "run.not_found",
  "run.unfinished",
  "run.nothing",
  "task.not_found",
  "task.exists",
  "task.not_ready",
  "task.already_claimed",
  "task.transition",
  "task.delete_refused",
  "task.none_available",
  "need.missing",
  "need.cycle",
  "claim.lost",
  "role.not_found",
  "role.bad_file",
  "role.mismatch",
  "role.locked",
  "evidence.blocked",
  "evidence.not_found",
  "evidence.failed",
  "preset.not_found",
  "preset.bad_file",
  "role.limit",
  "archive.refused",
  "record.not_found",
  "discussion.closed",
  "exploration.not_found",
  "artifact.unreadable",
  "artifact.too_large",
  "artifact.changed",
  "skill.not_found",
  "skill.not_allowed",
  "approval.needed",
  "approval.decided",
  "approval.own",
  "phase.none",
  "phase.transition",
  "qa.needed",
  "qa.transition",
  "qa.none",
  "qa.no_work",
  "qa.own",
  "escalation.decided",
  "escalation.no_option",
  "escalation.open",
  "escalation.not_allowed",
  "finding.open",
  "finding.status",
  "review.needed",
  "wave.not_found",
  "wave.transition",
  "worker.not_found",
  "worker.unavailable",
  "call.not_allowed",
  "message.not_allowed",
  "message.no_recipient",
  "loop.not_found",
  "seat.not_found",
  "seat.taken",
  "trust.needed",
  "config.unknown_key",
  "config.bad_value",
  "config.bad_file",
  "store.unavailable",
  "store.not_a_database",
  "store.too_new",
  "store.busy",
  "store.full",
  "store.read_only",
  "store.gone",
  "view.no_field",
  "export.failed",
  "export.foreign_files",
  "import.unreadable",
  "import.nothing_found",
  "agent.unavailable",
  "agent.failed",
  "job.not_found",
  "job.failed",
  "runtime.unavailable",
  "runtime.failed",
  "log.not_found",
  "gate.cancelled",
  "gate.no_checkout",
  "gate.no_commit",
  "ownership.overlap",
  "ownership.shared",
  "ownership.not_allowed",
  "ownership.not_found",
  "ownership.decided",
  "git.failed",
  "git.locked",
  "merge.no_target",
  "merge.no_branch",
  "merge.race",
  "merge.nothing",
  "deliver.refused",
  "deliver.failed",
  "workspace.no_repository",
  "workspace.no_commit",
  "workspace.base_not_found",
  "workspace.not_found",
  "workspace.exists",
  "workspace.busy",
  "workspace.foreign_files",
  "workspace.branch_taken",
  "workspace.unproven",
  "workspace.conflict",
  "workspace.changed",
  "workspace.unsaved",
  "workspace.bad_copy",
  "workspace.setup_failed",
  "pin.not_found",
  "plugin.failed",
  "init.refused",
  "branch.exists",
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** The wording of notes and logs, which no door translates: commands as a person types them. */
const PLAIN: Words = {
  field: (name) => name,
  remedy: (remedy, isFirst) => introduce(commandLine(remedy), remedy, isFirst),
}

/** The text, or a function that makes it when it names fields of the operation. */
export type Told = string | ((say: Words) => string)

interface WayOut {
  readonly remedy?: Remedy | readonly Remedy[]
  readonly cause?: unknown
}

/**
 * An expected failure. The message has the values, `details` has them for programs, and the remedies say what to do. Each
 * door words the message for its users by `tell`.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown>
  readonly remedies: readonly Remedy[]
  readonly #told: Told
  constructor(code: ErrorCode, told: Told, details: Record<string, unknown> = {}, { remedy = [], cause }: WayOut = {}) {
    const remedies = "operation" in remedy ? [remedy] : remedy
    super(tellIn(PLAIN, told, remedies), cause === undefined ? undefined : { cause })
    this.name = "AppError"
    this.code = code
    this.details = details
    this.remedies = remedies
    this.#told = told
  }

  tell(words: Words): string {
    return tellIn(words, this.#told, this.remedies)
  }
}

function tellIn(words: Words, told: Told, remedies: readonly Remedy[]): string {
  const text = typeof told === "string" ? told : told(words)
  return remedies.length === 0
    ? text
    : `${text}; ${remedies.map((remedy, index) => words.remedy(remedy, index === 0)).join(", or ")}`
}
