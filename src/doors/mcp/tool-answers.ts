import { AppError } from "../../kernel/errors.ts"
import type { Words } from "../../kernel/remedy.ts"
import { errorFacts } from "../error-facts.ts"

export interface Answer {
  readonly content: { readonly type: "text"; readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
  readonly isError?: true
  readonly [more: string]: unknown
}

/** The text repeats the data: some clients pass only the text to their model. */
export function answerWith(facts: Record<string, unknown>): Answer {
  return { content: [{ type: "text", text: JSON.stringify(facts) }], structuredContent: facts }
}

export function answerWithError(error: AppError, words: Words): Answer {
  const told = errorFacts(error, words)
  const facts = { ...told, message: told.message.replaceAll(/\s*\n\s*/g, " ") }
  return {
    content: [{ type: "text", text: `${facts.code}: ${facts.message}` }],
    structuredContent: facts,
    isError: true,
  }
}

export function unexpected(error: unknown, isDebugging: boolean): AppError {
  const what = error instanceof Error ? (isDebugging ? (error.stack ?? error.message) : error.message) : String(error)
  return new AppError("internal", `unexpected: ${what.slice(0, 2000)}; this is a bug in teamwork`)
}
