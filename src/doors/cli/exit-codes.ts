import type { ErrorCode } from "../../kernel/errors.ts"

const FAILURE = 1
const USAGE = 2

/** 2 when the call itself is wrong, 1 when it failed. */
export function exitCodeOf(code: ErrorCode): number {
  return code === "usage" ||
    code === "input.invalid" ||
    code === "plan.invalid" ||
    code === "trust.needed" ||
    code.startsWith("config.")
    ? USAGE
    : FAILURE
}
