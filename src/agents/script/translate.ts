import { lastLines } from "../../lib/text/last-lines.ts"
import { missingProgram } from "../../lib/text/shell-programs.ts"
import { appendTail } from "../append-tail.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import { MARK } from "./driver.ts"

const MAX_TAIL = 16_000

/** The output of the task's own commands: each is a tool that is used, and what it prints is text. */
export function translateScript({ commands }: AgentJob): Translator {
  let ended = 0
  let tail = ""
  let outputOfCommand = ""
  let error = ""

  function print(text: string): AgentEventBody {
    tail = appendTail(tail, `${text}\n`, MAX_TAIL)
    outputOfCommand = appendTail(outputOfCommand, `${text}\n`, MAX_TAIL)
    return { type: "text", text }
  }

  /** Shells end with 127 when a program is missing, and say which. */
  function why(code: string, command: string): string {
    const name = code === "127" ? missingProgram(outputOfCommand, command) : undefined
    return name === undefined ? "" : `, ${name} was not found`
  }

  function mark(what: string): AgentEventBody[] {
    const [kind, number = "", code = ""] = what.split(" ")
    const command = commands[Number(number)] ?? ""
    if (kind === "start") {
      outputOfCommand = ""
      return [{ type: "tool_use", id: number, name: "shell", files: [], input: command }]
    }
    ended++
    if (code !== "0") error = `command ${Number(number) + 1} ended with ${code}${why(code, command)}: ${command}`
    return [{ type: "tool_result", id: number, ok: code === "0", output: outputOfCommand }]
  }

  return {
    isPlainText: true,
    line(text) {
      const at = text.indexOf(MARK)
      if (at === -1) return [print(text)]
      // What a command printed last without a line break stands on the line of our mark.
      const rest = at === 0 ? [] : [print(text.slice(0, at))]
      return [...rest, ...mark(text.slice(at + MARK.length))]
    },
    turns: () => 0,
    isOver: () => false,
    end({ exitCode, signal }): Outcome {
      const base = { retryAt: null, answer: tail.slice(-MAX_TAIL).trimEnd(), structured: null, session: null }
      if (commands.length === 0) return { ...base, reason: "protocol", error: "the task has no commands" }
      if (exitCode === 0 && ended === commands.length) return { ...base, reason: "done", error: "" }
      return {
        ...base,
        reason: "crashed",
        error: withOutput(error || `ended with ${signal ?? exitCode} during command ${ended + 1}`, outputOfCommand),
      }
    },
  }
}

/** What the command printed last says why it failed. */
function withOutput(error: string, output: string): string {
  return [error, ...lastLines(output).map((line) => `    ${line}`)].join("\n")
}
