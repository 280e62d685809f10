import type { Gate, Scope } from "./candidate.ts"

/** Where no gate is set up nothing is tested, and the report says so. */
export const noGate: Gate = async () => ({ status: "skipped", checks: [], issues: [NOT_TESTED], output: "" })

const NOT_TESTED = "nothing was tested: no gate is set up"

/** Where ownership is not looked at, every change is in scope. */
export const noScope: Scope = async () => []
