// Agents that answer what a test wrote down, with a store to tell of it: `await using world = await setUpAsk([...])`.
import { join } from "node:path"
import type { AskPorts, Question } from "../../src/agents/choose/ask-agent.ts"
import { claude } from "../../src/agents/claude/program.ts"
import { codex } from "../../src/agents/codex/program.ts"
import { makeAgent } from "../../src/agents/make-agent.ts"
import type { AgentProgram } from "../../src/agents/program.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import { AGENT_PORTS } from "./agents.ts"
import { type Answers, writeAnswers } from "./answers.ts"
import { makeScratch, sandboxEnv } from "./sandbox.ts"
import { context, STORES, TEAM } from "./stores.ts"

const SCHEMA = { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
const NO_MODEL = { model: "m", price: null }

export async function setUpAsk(answers: readonly unknown[], programs: readonly AgentProgram[] = [claude, codex]) {
  const scratch = makeScratch("ask")
  const database = await (STORES.sqlite ?? missing())()
  const store = await database.connect()
  const written = writeAnswers(join(scratch.path, "answers"), answers)
  const ports: AskPorts = {
    ...TEAM,
    ready: programs.map((program) => ready(program, written)),
    ...{ home: join(scratch.path, "home"), clock: systemClock, ids: systemIds, maxBytes: 1_000_000 },
    ...{ roles: BUILT_IN_ROLES, defaults: { agentType: "executor", tier: "sonnet" }, callerEnv: sandboxEnv() },
    health: { now: new Date().toISOString(), until: {}, faults: {}, quotas: {} },
    hasStore: async () => true,
    openContext: async () => context(store),
  }
  const question: Question = {
    ...{ prompt: "Who is it?", schema: SCHEMA, role: "explorer", tier: "haiku", worker: "planner" },
    folder: scratch.path,
  }
  return {
    ...{ ports, question, written, store },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

function missing(): never {
  throw new Error("no such store")
}

function ready(program: AgentProgram, written: Answers) {
  const command = written.command(program === claude ? "claude" : "codex")
  return {
    agent: makeAgent(program, { command, isRoot: false, graceMs: 300 }, AGENT_PORTS),
    env: sandboxEnv({ ANTHROPIC_API_KEY: "not-a-key", OPENAI_API_KEY: "not-a-key" }),
    isEnabled: true,
    models: { haiku: NO_MODEL, sonnet: NO_MODEL, opus: NO_MODEL },
  }
}
