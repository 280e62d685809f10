import { AppError } from "../kernel/errors.ts"
import { oneLine } from "../lib/text/table.ts"
import { GRAVE_WORDS } from "./finding.ts"
import type { QaPlan } from "./qa-plan.ts"
import { fitScores, type GivenScore } from "./quality.ts"

/** What somebody who looked at the work says of it. */
export interface QaAnswer {
  readonly scores: readonly GivenScore[]
  /** What has to be mended. */
  readonly guidance: readonly string[]
}

/** How a QA agent answers. Every field is required, since some programs allow no others. */
export function qaSchema({ dimensions }: QaPlan) {
  const text = { type: "string" } as const
  return {
    type: "object",
    properties: {
      scores: {
        type: "array",
        items: {
          type: "object",
          properties: {
            dimension: { ...text, enum: dimensions.map(({ name }) => name) },
            score: { type: "integer", description: "0 to 100" },
            reason: { ...text, description: "what was seen, and where" },
          },
          required: ["dimension", "score", "reason"],
          additionalProperties: false,
        },
      },
      guidance: { type: "array", items: text, description: "what has to be mended, each by itself; empty for nothing" },
    },
    required: ["scores", "guidance"],
    additionalProperties: false,
  } as const
}

/** Reads an answer; foreign text, so nothing of its shape is taken for granted. */
export function parseQaAnswer(plan: QaPlan, answer: unknown): QaAnswer {
  const { scores, guidance } = asRecord(answer)
  if (!Array.isArray(scores)) throw new AppError("agent.failed", "the answer of QA has no scores")
  const given = scores.map(readScore)
  try {
    fitScores(plan, given)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new AppError("agent.failed", `the answer of QA does not fit its plan: ${why}`, {}, { cause })
  }
  const texts = Array.isArray(guidance) ? guidance.filter((each) => typeof each === "string" && each.trim() !== "") : []
  const grave = texts.find((each) => GRAVE_WORDS.test(each))
  if (grave !== undefined && given.every(({ score }) => score >= GOOD_SCORE))
    throw new AppError("agent.failed", `the answer of QA contradicts itself: good scores, and "${oneLine(grave)}"`)
  return { scores: given, guidance: texts }
}

/** Nobody who writes this means work that is as good as its scores. */
const GOOD_SCORE = 80

/** As the schema has it and not nearly so: a score that has to be guessed is none. */
function readScore(value: unknown): GivenScore {
  const { dimension, score, reason } = asRecord(value)
  if (typeof dimension !== "string" || typeof score !== "number" || typeof reason !== "string" || reason.trim() === "")
    throw new AppError("agent.failed", `the answer of QA has a score without dimension, number or reason`)
  return { dimension, score, reason: reason.trim() }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}
