import { cliSuite } from "./cli.suite.ts"
import { ownershipSuite } from "./ownership.suite.ts"
import { CLAUDE } from "./programs.ts"

cliSuite(CLAUDE)
ownershipSuite(CLAUDE, {
  allowing: { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } },
})
