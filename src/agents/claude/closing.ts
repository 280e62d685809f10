import { closingText } from "../../tasks/closing-block.ts"
import type { Json } from "../json-line.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import type { Outcome } from "../program.ts"

const MOST_MESSAGES = 10

/**
 * The end of an answer that was asked for by `closingSchema`: a call of the tool `StructuredOutput`, which ends the run. A
 * model that answers in text is reminded of it once, so its answer may come in several messages. All that it says after
 * its last use of another tool is the answer then, or a failure told in the first message would be lost.
 */
export function watchClosing({ answerSchema, closingSchema }: AgentJob) {
  const isAsked = answerSchema === null && closingSchema !== undefined
  const calls = new Set<string>()
  let said: string[] = []
  return {
    /** The call as the words it stands for: people read them. */
    asWords(block: Json | undefined, told: AgentEventBody): AgentEventBody {
      if (!isAsked || told.type !== "tool_use" || told.name !== "StructuredOutput") return told
      calls.add(told.id)
      return { type: "text", text: closingText(block?.input) }
    },
    isOfTheWork: (told: AgentEventBody) => !(told.type === "tool_result" && calls.has(told.id)),
    see(told: AgentEventBody): void {
      if (told.type === "tool_use") said = []
      else if (isAsked && told.type === "text" && told.text !== "") said = [...said, told.text].slice(-MOST_MESSAGES)
    },
    /** The whole answer, of which the result line holds the last message, or the structure as JSON. */
    answer({ answer, structured }: Pick<Outcome, "answer" | "structured">): string {
      if (!isAsked || said.length === 0) return answer
      return (structured !== null || said.includes(answer) ? said : [...said, answer]).join("\n\n")
    },
  }
}
