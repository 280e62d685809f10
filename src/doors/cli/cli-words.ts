import type { CommandRow } from "../../app/command.ts"
import type { GlobalFlags } from "../../app/host.ts"
import { commandLine, flagOf } from "../../kernel/command-line.ts"
import type { AppError } from "../../kernel/errors.ts"
import { introduce, type Remedy, type Words } from "../../kernel/remedy.ts"

/** For callers with a shell: fields are flags, a remedy is a command line. */
export async function cliWords(
  { remedies }: Pick<AppError, "remedies">,
  commands: readonly CommandRow[],
  /** As given in the call: the remedy is for the same team. */
  place: GlobalFlags = {},
): Promise<Words> {
  const lines = new Map<Remedy, string>()
  for (const remedy of remedies) lines.set(remedy, await typedLine(remedy, commands, place))
  return {
    field: flagOf,
    remedy: (remedy, isFirst) => introduce(lines.get(remedy) ?? commandLine(remedy), remedy, isFirst),
  }
}

export async function typedLine(
  remedy: Remedy,
  commands: readonly CommandRow[],
  place: GlobalFlags = {},
): Promise<string> {
  const row = commands.find(({ name }) => name === remedy.operation)
  const { operation, fields } = remedy
  // A link does not depend on the team of the call.
  const flags = operation === "link" ? { store: place.store } : place
  return commandLine({ operation, fields: { ...fields, ...flags } }, await row?.load())
}
