import * as v from "valibot"
import { AppError } from "../kernel/errors.ts"
import { problemAt, validItems } from "../lib/schema.ts"
import { oneLine } from "../lib/text/table.ts"
import { jsonSchemaOf } from "../lib/to-json-schema.ts"
import { GRAVE_WORDS } from "./finding.ts"
import type { QaPlan } from "./qa-plan.ts"
import { fitScores, type GivenScore } from "./quality.ts"

export interface QaAnswer {
  readonly scores: readonly GivenScore[]
  readonly guidance: readonly string[]
}

function scoreFields({ dimensions }: QaPlan) {
  return {
    dimension: v.picklist(dimensions.map(({ name }) => name)),
    score: v.pipe(v.number(), v.integer(), v.description("0 to 100")),
    reason: v.pipe(v.string(), v.trim(), v.nonEmpty("is empty"), v.description("what was seen, and where")),
  }
}

/** Every field is required: some programs allow no optional fields. */
export function qaSchema(plan: QaPlan) {
  return jsonSchemaOf({
    scores: v.array(v.strictObject(scoreFields(plan))),
    guidance: v.pipe(v.array(v.string()), v.description("what has to be fixed, one item each; empty for nothing")),
  })
}

/** Good scores with a grave remark are no verdict. */
const GOOD_SCORE = 80

/** Throws `agent.failed` if the answer is no verdict. */
export function parseQaAnswer(plan: QaPlan, answer: unknown): QaAnswer {
  const Answer = v.object({
    scores: v.array(v.object(scoreFields(plan))),
    guidance: validItems(
      v.pipe(
        v.string(),
        v.check((text) => text.trim() !== ""),
      ),
    ),
  })
  const read = v.safeParse(Answer, answer, { abortEarly: true })
  if (!read.success) throw new AppError("agent.failed", `the answer of QA is not valid: ${problemAt(read.issues[0])}`)
  const { scores, guidance } = read.output
  try {
    fitScores(plan, scores)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new AppError("agent.failed", `the answer of QA does not fit its plan: ${why}`, {}, { cause })
  }
  const grave = guidance.find((each) => GRAVE_WORDS.test(each))
  if (grave !== undefined && scores.every(({ score }) => score >= GOOD_SCORE))
    throw new AppError("agent.failed", `the answer of QA contradicts itself: good scores, and "${oneLine(grave)}"`)
  return { scores, guidance }
}
