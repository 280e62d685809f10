import { lastLines } from "../../lib/text/last-lines.ts"
import { missingProgram } from "../../lib/text/shell-programs.ts"
import type { AgentEventBody, AgentJob } from "../port.ts"
import type { Outcome, Translator } from "../program.ts"
import { appendTail } from "../translator-parts.ts"

/** Starts our own lines inside the output of commands; no text file holds it. */
const MARK = "\u001eteamwork "

/** Runs its arguments in order, prints when each starts and how it ended, and stops at the first failure. */
export const DRIVER = String.raw`exec 2>&1
n=0
for command in "$@"; do
  printf '\036teamwork start %d\n' "$n"
  "$0" -c "$command"
  code=$?
  printf '\036teamwork end %d %d\n' "$n" "$code"
  [ "$code" -eq 0 ] || exit "$code"
  n=$((n + 1))
done`

const MAX_TAIL = 16_000

/** Each command is a tool call, and its output is text. */
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

  /** A shell exits with 127 when a program is missing, and names it. */
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
      // Output without a line break at its end shares the line with our mark.
      const rest = at === 0 ? [] : [print(text.slice(0, at))]
      return [...rest, ...mark(text.slice(at + MARK.length))]
    },
    turns: () => 0,
    isOver: () => false,
    end({ exitCode, signal }): Outcome {
      const base = { retryAt: null, answer: tail.slice(-MAX_TAIL).trimEnd(), structured: null, session: null }
      if (commands.length === 0) return { ...base, reason: "protocol", error: "the task has no commands" }
      if (exitCode === 0 && ended === commands.length) return { ...base, reason: "done", error: "" }
      const summary = error || `ended with ${signal ?? exitCode} during command ${ended + 1}`
      // The last output of the command says why it failed.
      const output = lastLines(outputOfCommand).map((line) => `    ${line}`)
      return { ...base, reason: "crashed", error: [summary, ...output].join("\n") }
    },
  }
}
