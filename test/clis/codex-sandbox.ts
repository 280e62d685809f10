import { sandboxEnv } from "../support/sandbox.ts"
import { commandOf } from "./cli-world.ts"
import { findPinned } from "./pinned.ts"

/** Codex keeps what it writes and runs to a sandbox of namespaces, which some containers do not permit. */
export function canSandbox(): boolean {
  const { success } = Bun.spawnSync([commandOf(findPinned("codex")), "sandbox", "--", "true"], { env: sandboxEnv() })
  return success
}
