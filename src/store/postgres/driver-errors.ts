import { AppError, type ErrorCode } from "../../kernel/errors.ts"
import { codeOf } from "../../lib/error-code.ts"

const LOST = /^(E[A-Z]+|CONNECT_TIMEOUT|CONNECTION_[A-Z]+|08...|57P0.|25P0[34])$/

/** The server ended one of two transactions that were in conflict: it can run again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === "40001" || code === "40P01"
}

export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === "42P01"
}

/** There is no connection any more. The last statement may or may not have been carried out. */
export function isConnectionLoss(error: unknown): boolean {
  return LOST.test(codeOf(error) ?? "")
}

const RIGHTS = ["store.read_only", "does not let this user do that", "grant it the rights on the schema"] as const

/** By the server's code: our code, what is wrong, and what to do about it. */
const STATES: Record<string, readonly [ErrorCode, string, string]> = {
  "3D000": ["store.unavailable", "has no such database", "create it, or name another one in the store's address"],
  "53300": ["store.unavailable", "takes no more connections", "raise its max_connections, or try again later"],
  "53100": ["store.full", "has no room: the disk is full", "nothing was changed; free some space and try again"],
  "25006": ["store.read_only", "is read-only", "name the primary server in the store's address"],
  "42501": RIGHTS,
  "3F000": RIGHTS, // no such schema, or no right to use it
  "55P03": ["store.busy", "was locked by others for too long", "try again"],
}

/** Turns an error of the server into ours; returns any other error unchanged. */
export function translate(error: unknown, place: string): unknown {
  if (error instanceof AppError) return error
  const code = codeOf(error) ?? ""
  const state = STATES[code] ?? describeLoss(code)
  if (state === undefined) return error
  const [kind, what, wayOut] = state
  const reason = error instanceof Error ? error.message : ""
  return new AppError(kind, `${place} ${what} (${reason}); ${wayOut}`, { place, reason: code }, { cause: error })
}

function describeLoss(code: string): readonly [ErrorCode, string, string] | undefined {
  const lost = (what: string, wayOut = "check that the server runs and can be reached") =>
    ["store.unavailable", what, wayOut] as const
  if (code.startsWith("28")) return lost("refused the user or password", "check both in the store's address")
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return lost("cannot be found: its host is not known")
  if (code === "ECONNREFUSED") return lost("does not take connections")
  if (code === "CONNECT_TIMEOUT" || code === "ETIMEDOUT") return lost("did not answer in time")
  if (/CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL/.test(code)) {
    return lost("has a certificate that does not hold", "see sslmode in the store's address")
  }
  return LOST.test(code) ? lost("cannot be reached, or the connection broke") : undefined
}
