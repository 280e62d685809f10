import type { CommandRow } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { cliWords } from "../cli/cli-words.ts"

/** Why something failed, for the agent in a session. It has a shell, and its hooks name commands; so does this. */
export async function tellAgent(error: unknown, commands: readonly CommandRow[]): Promise<string> {
  if (error instanceof AppError) return error.tell(await cliWords(error, commands))
  return error instanceof Error ? error.message : String(error)
}
