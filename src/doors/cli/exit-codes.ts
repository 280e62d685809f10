import type { ErrorCode } from "../../kernel/errors.ts"

const FAILURE = 1
const USAGE = 2

/** 2 when the call itself was wrong and would be wrong again, 1 when it could not be done. */
export function exitCodeOf(code: ErrorCode): number {
  return code === "usage" ||
    code === "input.invalid" ||
    code === "plan.invalid" ||
    code === "trust.needed" ||
    code.startsWith("config.")
    ? USAGE
    : FAILURE
}
