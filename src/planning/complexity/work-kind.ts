import type { TaskDomain } from "./classify-task.ts"

export type WorkKind =
  | "security audit"
  | "review"
  | "architecture"
  | "refactor"
  | "documents"
  | "build loop"
  | "coordination"
  | "ui"

/** The first match is the kind. */
const PATTERNS: readonly (readonly [WorkKind, RegExp])[] = [
  ["security audit", /\bsecurity (?:audit|review|check)|\b(?:audit|penetration test|threat model)\b/i],
  ["review", /\bcode[- ]review\b|(?:^|[.:\n]\s*)(?:please )?review\b|\bcritique\b/i],
  [
    "architecture",
    /\b(?:analy[sz]e|evaluate|assess|compare|propose|design|plan|describe|review)\b.{0,80}\barchitectur|\barchitecture (?:analysis|review|decision)/i,
  ],
  [
    "coordination",
    /(?:^|[.:\n]\s*)(?:please )?(?:coordinate|orchestrate|delegate|triage|prioriti[sz]e|break down|assign)\b/i,
  ],
  [
    "build loop",
    /\b(?:build|tests?|test suite|lint|type ?check|ci)\b.{0,80}\b(?:pass|passes|green|succeeds?)\b|\bfix (?:the |all )?(?:failing|broken) (?:\w+ )?(?:build|tests?)|\brun the (?:build|tests?|test suite)\b/i,
  ],
]

const REFACTOR = /\b(?:refactor|restructur|reorgani[sz]|simplif|extract)\w*/i
const DOCUMENTS = /\b(?:documentation|docs|manuals?|guides?|handbook|specifications?|reports?|transcripts?)\b/i
const LARGE = /\b(?:all|whole|entire|every|complete|full|large|long|huge|summari[sz]e)\b/i

/** More than an agent with a small context can read. */
const LARGE_TOKENS = 128_000

export function findWorkKind(text: string, domain: TaskDomain, contextTokens: number): WorkKind | undefined {
  const named = PATTERNS.find(([, pattern]) => pattern.test(text))?.[0]
  if (named !== undefined) return named
  if (DOCUMENTS.test(text) && (LARGE.test(text) || contextTokens > LARGE_TOKENS)) return "documents"
  if (domain === "frontend") return "ui"
  return REFACTOR.test(text) && !LARGE.test(text) ? "refactor" : undefined // only a scoped one is a kind of its own
}
