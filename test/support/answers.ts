// Agents that answer what a test wrote down beforehand, by the fixture that speaks their format.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export interface Answers {
  /** The command of an agent of that format. */
  command(format: "claude" | "codex"): string[]
  /** What the n-th question was, from 1; undefined when it was not asked. */
  prompt(number: number): string | undefined
  /** What the program was started with for it. */
  args(number: number): string
}

/**
 * A value is answered as JSON; a text as it is. `!429 words` is a failure of the server, `!hang` never ends, `!crash` ends
 * without a word.
 */
export function writeAnswers(folder: string, answers: readonly unknown[]): Answers {
  mkdirSync(folder, { recursive: true })
  for (const [index, answer] of answers.entries()) {
    const text = typeof answer === "string" ? answer : JSON.stringify(answer)
    writeFileSync(join(folder, `${index + 1}.answer`), text)
  }
  const read = (name: string) => {
    const file = join(folder, name)
    return existsSync(file) ? readFileSync(file, "utf8") : undefined
  }
  return {
    command: (format) => [process.execPath, join(import.meta.dir, "../fixtures/agents/answers.ts"), format, folder],
    prompt: (number) => read(`${number}.prompt`),
    args: (number) => read(`${number}.args`) ?? "",
  }
}
