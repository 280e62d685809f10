import { acpFacts } from "./acp/facts.ts"
import { claudeFacts } from "./claude/facts.ts"
import { codexFacts } from "./codex/facts.ts"
import { geminiFacts } from "./gemini/facts.ts"
import { opencodeFacts } from "./opencode/facts.ts"
import type { AgentProgram } from "./program.ts"
import type { ProgramFacts } from "./program-facts.ts"
import { programOf } from "./program-of.ts"
import { scriptFacts } from "./script/facts.ts"

/**
 * Add a new agent program here. Loading their code takes about 3 ms in the built binary, and most commands run no
 * agent, so only `app/open-agents.ts` loads it.
 */
export const PROGRAMS: readonly (ProgramFacts & { load(): Promise<AgentProgram> })[] = [
  { ...claudeFacts, load: async () => (await import("./claude/program.ts")).claude },
  { ...codexFacts, load: async () => (await import("./codex/program.ts")).codex },
  { ...geminiFacts, load: async () => (await import("./gemini/program.ts")).gemini },
  { ...opencodeFacts, load: async () => (await import("./opencode/program.ts")).opencode },
  { ...acpFacts, load: async () => (await import("./acp/program.ts")).acp },
  { ...scriptFacts, load: async () => (await import("./script/program.ts")).script },
]

/** Undefined for an unknown name. */
export function findProgram(agent: string): ProgramFacts | undefined {
  return PROGRAMS.find(({ name }) => name === programOf(agent))
}

/** Runs the commands of a task instead of reading a prompt. */
export const SCRIPT = scriptFacts.name

/** For work that suits no other agent better. */
export const GENERAL_AGENT = claudeFacts.name
