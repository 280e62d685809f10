/** Every expected failure, by the code that surfaces and scripts may rely on. Codes are stable; messages are for people. */
export const ERROR_CODES = [
  "usage",
  "internal",
  "input.invalid",
  "team.not_found",
  "team.exists",
  "team.paused",
  "team.busy",
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
  "wave.not_found",
  "wave.transition",
  "worker.not_found",
  "worker.unavailable",
  "message.not_allowed",
  "loop.not_found",
  "config.unknown_key",
  "config.bad_value",
  "config.bad_file",
  "store.unavailable",
  "store.not_a_database",
  "store.too_new",
  "store.busy",
  "store.full",
  "store.read_only",
  "view.no_field",
  "export.failed",
  "export.foreign_files",
  "import.unreadable",
  "import.nothing_found",
  "job.not_found",
  "job.failed",
  "git.failed",
  "git.locked",
  "workspace.no_repository",
  "workspace.no_commit",
  "workspace.base_not_found",
  "workspace.not_found",
  "workspace.exists",
  "workspace.busy",
  "workspace.foreign_files",
  "workspace.branch_taken",
  "workspace.locked",
  "workspace.unproven",
  "workspace.conflict",
  "workspace.changed",
  "workspace.unsaved",
  "workspace.bad_copy",
  "workspace.setup_failed",
  "pin.not_found",
  "branch.exists",
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

/** A failure we foresee. The message gives the values and the way out; `details` carries the same values for programs. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: Record<string, unknown>
  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, options?: { cause?: unknown }) {
    super(message, options)
    this.name = "AppError"
    this.code = code
    this.details = details
  }
}
