import { closingText, readClosingBlock, saysFailure } from "../../tasks/closing-block.ts"
import { asText, type Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import type { Outcome } from "../program.ts"

const MOST_MESSAGES = 10

/**
 * The end of an answer that was asked for by `closingSchema`: a call of the tool `StructuredOutput`, which ends the run. A
 * model that answers in text is reminded of it once, so its answer may come in several messages. All that it says after
 * its last use of another tool is the answer then. A message that says FAILED or ESCALATE is part of the answer wherever
 * it stands in the run: the model may use one more tool, or say goodbye, and the failure must not be lost.
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
    /** The call as the words it stands for: people read them. */
    asWords(block: Json | undefined, told: AgentEventBody): AgentEventBody {
      if (!isAsked || told.type !== "tool_use" || told.name !== "StructuredOutput") return told
      calls.add(told.id)
      return { type: "text", text: closingText(block?.input) }
    },
    isOfTheWork: (told: AgentEventBody) => !(told.type === "tool_result" && calls.has(told.id)),
    see(told: AgentEventBody): void {
      if (!isAsked) return
      if (told.type === "tool_use") {
        said.filter(saysFailure).forEach(keep)
        said = []
      } else if (told.type === "text" && told.text !== "") {
        said = [...said, told.text]
        const [oldest] = said
        if (said.length <= MOST_MESSAGES || oldest === undefined) return
        if (isFailure(oldest, null)) keep(oldest)
        said = said.slice(1)
      }
    },
    /** A run may have several results. A later one does not take back a failure. */
    seeResult({ result, structured_output }: Json): void {
      if (!isAsked) return
      lastResult.forEach(keep)
      const words = [closingText(structured_output), asText(result)]
      lastResult = words.filter((each) => isFailure(each, null)).slice(0, 1)
    },
    /** The whole answer, of which the result line holds the last message, or the structure as JSON. */
    answer({ answer, structured }: Pick<Outcome, "answer" | "structured">): string {
      if (!isAsked) return answer
      const isTold = structured !== null && (isFailure("", structured) || !isFailure(answer, null))
      const last = (isTold && said.length > 0) || said.includes(answer) ? said : [...said, answer]
      return [...failures.filter((each) => !last.includes(each)), ...last].join("\n\n")
    },
  }
}

function isFailure(answer: string, structured: unknown): boolean {
  const { outcome } = readClosingBlock(answer, structured)
  return outcome === "failed" || outcome === "escalate"
}
