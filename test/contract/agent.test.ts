import { acp } from "../../src/agents/acp/program.ts"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { gemini } from "../../src/agents/gemini/program.ts"
import { opencode } from "../../src/agents/opencode/program.ts"
import { script } from "../../src/agents/script/program.ts"
import { agentContract } from "./agent.contract.ts"

agentContract(claude, { errors: true, runningUsage: true, cost: true })
agentContract(codex, { errors: true, runningUsage: false, cost: false })
agentContract(gemini, { errors: true, runningUsage: false, cost: false })
agentContract(opencode, { errors: true, runningUsage: true, cost: true })
agentContract(acp, { errors: true, runningUsage: true, cost: true })
// Plain commands have no words for errors, only an exit code.
agentContract(script, { errors: false, runningUsage: false, cost: false })
