import type { Complexity, Role } from "../tasks/task.ts"
import { interfacePatterns } from "./interface-files.ts"

export const TEMPLATES = ["build-team", "review-team", "fullstack-team", "audit-team", "debug-team"] as const
export type Template = (typeof TEMPLATES)[number]

interface Part {
  readonly agentType: string
  readonly role: Role
  /** Chooses the model: simple is haiku, standard sonnet, complex opus. */
  readonly complexity: Complexity
  /** The first available one, else the route decides. */
  readonly agents: readonly string[]
  readonly needs?: readonly string[]
  /** The title before the colon. */
  readonly does: string
  readonly acceptance: string
  /** Gets follow-ups. */
  readonly cascades?: true
  /** The agent type by default. */
  readonly id?: string
  /** Owns the user interface; concurrent tasks may write everything else. */
  readonly ownsInterface?: true
}

const CODEX_OR_CLAUDE = ["codex", "claude"]

const ARCHITECT: Part = {
  agentType: "architect",
  role: "worker",
  complexity: "complex",
  agents: ["claude"],
  does: "Plan the structure",
  acceptance: "The structure is described: parts, their interfaces, files, and what to do in which order",
}
const EXECUTOR: Part = {
  agentType: "executor",
  role: "backend",
  complexity: "standard",
  agents: CODEX_OR_CLAUDE,
  does: "Implement",
  needs: ["architect"],
  acceptance: "It does what was asked, in the structure that was planned",
}
const DESIGNER: Part = {
  agentType: "designer",
  role: "frontend",
  complexity: "standard",
  agents: ["gemini", "claude"],
  does: "Design the interface",
  needs: ["architect"],
  ownsInterface: true,
  acceptance: "What people see and use is there, in the structure that was planned",
}

const FINDINGS =
  "Every finding names file, line, why it matters and its severity; the report says so where there is none"

function reviewer(agentType: string, of: string, special: Partial<Part> = {}): Part {
  const base = { agentType, role: "review", complexity: "standard", agents: CODEX_OR_CLAUDE } as const
  return { ...base, does: `Review ${of}`, acceptance: FINDINGS, ...special }
}

/** Needs make the phases. */
const PARTS: Readonly<Record<Template, readonly Part[]>> = {
  "build-team": [
    ARCHITECT,
    { ...EXECUTOR, cascades: true },
    DESIGNER,
    // The words of a design do not ask for a review, so the template has one.
    reviewer("quality-reviewer", "the interface", { id: "review-designer", needs: ["designer"] }),
  ],
  "review-team": [
    reviewer("style-reviewer", "the style", { complexity: "simple", agents: ["claude"] }),
    reviewer("quality-reviewer", "the quality"),
    reviewer("security-reviewer", "the security"),
    reviewer("performance-reviewer", "the performance"),
  ],
  "fullstack-team": [
    ARCHITECT,
    EXECUTOR,
    DESIGNER,
    {
      agentType: "test-engineer",
      role: "test",
      complexity: "standard",
      agents: ["claude"],
      does: "Test",
      needs: ["executor", "designer"],
      cascades: true,
      acceptance: "Tests of the new behaviour are there and pass, those of wrong input and of the limits among them",
    },
  ],
  "audit-team": [
    reviewer("security-reviewer", "the security"),
    reviewer("quality-reviewer", "the quality"),
    reviewer("code-reviewer", "the code", { complexity: "complex" }),
  ],
  "debug-team": [
    {
      agentType: "explorer",
      role: "worker",
      complexity: "simple",
      agents: ["claude"],
      does: "Explore",
      acceptance: "The places that have to do with it are named, with how they work together",
    },
    {
      agentType: "debugger",
      role: "worker",
      complexity: "standard",
      agents: ["claude"],
      does: "Debug",
      needs: ["explorer"],
      acceptance: "The cause is named, and something shows it, such as a test that fails because of it",
    },
    {
      agentType: "executor",
      role: "backend",
      complexity: "standard",
      agents: CODEX_OR_CLAUDE,
      does: "Fix",
      needs: ["debugger"],
      cascades: true,
      acceptance: "What was wrong is right, and what showed the fault shows it no longer",
    },
  ],
}

/** Any free worker does the review of build-team. */
const SIZES: Readonly<Record<Template, number>> = {
  "build-team": 3,
  "review-team": 4,
  "fullstack-team": 4,
  "audit-team": 3,
  "debug-team": 3,
}

const MAX_TITLE = 200

interface TemplateFacts {
  readonly available: readonly string[]
  readonly files: readonly string[]
}

/** Concurrent writers own different files: one owns the user interface, the other may write what no task owns. */
export function planOfTemplate(template: Template, task: string, { available, files }: TemplateFacts) {
  const line = task.replaceAll(/\s+/g, " ").trim()
  const short = line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line
  return {
    goal: task.trim(),
    workers: String(SIZES[template]),
    template,
    followUps: PARTS[template].some(({ cascades }) => cascades === true),
    tasks: PARTS[template].map((part) => {
      const { id = part.agentType, agentType, role, complexity, needs = [], does, acceptance } = part
      const title = `${does}: ${short}${part.cascades === true ? "" : " [no-cascade]"}`
      const agent = part.agents.find((name) => available.includes(name))
      const description = `${does}, as your part of this:\n\n${task.trim()}`
      return {
        id,
        title,
        description,
        acceptance: [acceptance],
        role,
        agentType,
        complexity,
        needs,
        ...(agent === undefined ? {} : { agent }),
        ...(part.ownsInterface === true ? { files: interfacePatterns(files) } : {}),
      }
    }),
  }
}

/** `3:executor`; undefined for anything else. */
export function parseCrew(text: string): { readonly count: number; readonly agentType: string } | undefined {
  const [, count, agentType] = /^(\d+):([A-Za-z][\w-]*)$/.exec(text.trim()) ?? []
  return agentType === undefined ? undefined : { count: Number(count), agentType }
}
