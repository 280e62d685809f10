import { AppError } from "../../domain/errors.ts"

/** Two transactions got in each other's way and the server ended one of them: it may simply run again. */
export function isConflict(error: unknown): boolean {
  const code = codeOf(error)
  return code === "40001" || code === "40P01"
}

export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === "42P01"
}

/** No connection, or none any more; whether the last statement was carried out is not known. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error)
  return /^(E[A-Z]+|CONNECT_TIMEOUT|CONNECTION_[A-Z]+|08...|57P0.|25P0[34])$/.test(code)
}

/** Gives the server's words for its own state a code and a way out; anything else comes back as it was. */
export function translate(error: unknown, place: string): unknown {
  if (error instanceof AppError) return error
  const code = codeOf(error)
  const reason = error instanceof Error ? error.message : ""
  const fail = (kind: AppError["code"], what: string, wayOut: string) =>
    new AppError(kind, `${place} ${what}; ${wayOut}`, { place, reason: code }, { cause: error })

  if (code.startsWith("28")) {
    return fail(
      "store.unavailable",
      `refused the user or password (${reason})`,
      "check user and password in the store's address",
    )
  }
  if (code === "3D000")
    return fail("store.unavailable", "has no such database", "create it, or name another one in the store's address")
  if (code === "53300")
    return fail("store.unavailable", "takes no more connections", "raise its max_connections, or try again later")
  if (code === "53100")
    return fail("store.full", "has no room: the disk is full", "nothing was changed; free some space and try again")
  if (code === "25006") return fail("store.read_only", "is read-only", "name the primary server in the store's address")
  if (code === "42501") {
    return fail(
      "store.read_only",
      `does not let this user do that (${reason})`,
      "grant it the rights on the schema, or use another user",
    )
  }
  if (code === "55P03") return fail("store.busy", "was locked by others for too long", "try again")
  if (isConnectionLoss(error))
    return fail("store.unavailable", describeLoss(code), "check that the server runs and can be reached")
  if (isTlsTrouble(code))
    return fail(
      "store.unavailable",
      `has a certificate that does not hold (${code})`,
      "see sslmode in the store's address",
    )
  return error
}

function describeLoss(code: string): string {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "cannot be found: its host is not known"
  if (code === "ECONNREFUSED") return "does not take connections"
  if (code === "CONNECT_TIMEOUT" || code === "ETIMEDOUT") return "did not answer in time"
  if (code === "57P03") return "is just starting or stopping"
  return `cannot be reached, or the connection broke (${code})`
}

function isTlsTrouble(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS|^ERR_SSL/.test(code)
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}
