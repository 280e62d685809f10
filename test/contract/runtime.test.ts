import { systemClock } from "../../src/lib/clock.ts"
import { makeChildRuntime } from "../../src/runtime/child/make-child-runtime.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { runtimeContract } from "./runtime.contract.ts"

runtimeContract({
  name: "child",
  skipped: null,
  make: (owner) => makeChildRuntime({ owner, clock: systemClock, env: sandboxEnv() }),
  leftOf: () => [],
})
