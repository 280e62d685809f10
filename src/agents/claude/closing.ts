import { closingText, readClosingBlock, reportsFailure } from "../../tasks/closing-block.ts"
import { asText, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import type { Outcome } from "../program.ts"

const MOST_MESSAGES = 10

/**
 * The end of an answer to a job with `closingSchema`: a call of the tool `StructuredOutput`, which ends the run. A
 * model that answers in text gets one reminder, so its answer may span several messages: all after its last use of
 * another tool. A message with FAILED or ESCALATE always counts: the model may use one more tool or say goodbye
 * afterwards, and the failure must not get lost.
 */
export function watchClosing({ answerSchema, closingSchema }: AgentJob) {
  const isAsked = answerSchema === null && closingSchema !== undefined
  const calls = new Set<string>()
  let failures: string[] = []
  let said: string[] = []
  let lastResult: string[] = []
  const keep = (message: string) => {
    if (!failures.includes(message)) failures = [...failures, message].slice(0, MOST_MESSAGES)
  }
  return {
    /** Turns the call into words for people. */
    asWords(block: Json | undefined, event: AgentEventBody): AgentEventBody {
      if (!isAsked || event.type !== "tool_use" || event.name !== "StructuredOutput") return event
      calls.add(event.id)
      return { type: "text", text: closingText(block?.input) }
    },
    isOfTheWork: (event: AgentEventBody) => !(event.type === "tool_result" && calls.has(event.id)),
    see(event: AgentEventBody): void {
      if (!isAsked) return
      if (event.type === "tool_use") {
        said.filter(reportsFailure).forEach(keep)
        said = []
      } else if (event.type === "text" && event.text !== "") {
        said = [...said, event.text]
        const [oldest] = said
        if (said.length <= MOST_MESSAGES || oldest === undefined) return
        if (isFailure(oldest, null)) keep(oldest)
        said = said.slice(1)
      }
    },
    /** A later result does not undo a failure. */
    seeResult({ result, structured_output }: Json): void {
      if (!isAsked) return
      lastResult.forEach(keep)
      const words = [closingText(structured_output), asText(result)]
      lastResult = words.filter((each) => isFailure(each, null)).slice(0, 1)
    },
    /** The result line holds only the last message, or the structure as JSON. */
    answer({ answer, structured }: Pick<Outcome, "answer" | "structured">): string {
      if (!isAsked) return answer
      const isInWords = structured !== null && (isFailure("", structured) || !isFailure(answer, null))
      const last = (isInWords && said.length > 0) || said.includes(answer) ? said : [...said, answer]
      return [...failures.filter((each) => !last.includes(each)), ...last].join("\n\n")
    },
  }
}

function isFailure(answer: string, structured: unknown): boolean {
  const { outcome } = readClosingBlock(answer, structured)
  return outcome === "failed" || outcome === "escalate"
}
