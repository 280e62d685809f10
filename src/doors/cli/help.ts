import { type Command, type CommandRow, dashedName } from "../../app/command.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { VISIBLE_COMMANDS } from "./commands.ts"
import { type Flag, flagsOf } from "./flags.ts"
import { DETECTED_FIELDS, GLOBAL_FIELDS } from "./global-fields.ts"

export function commandHelp(row: CommandRow, command: Command): string {
  const shared = flagsOf(GLOBAL_FIELDS).filter((flag) => !isOwn(command, flag))
  return [describeCommand(row, command), "", "For every command:", ...shared.map(describeFlag)].join("\n")
}

export function describeCommand(row: CommandRow, command: Command): string {
  const flags = flagsOf(command.fields).filter(
    (flag) => (!(flag.field in GLOBAL_FIELDS) || isOwn(command, flag)) && flag.field !== command.takesRest,
  )
  const required = flags.filter(isRequired).map((flag) => `${usageOf(flag)} `)
  const rest = command.takesRest === undefined ? "" : " -- COMMAND [ARGUMENTS]"
  const aliases = dashedName(row) === row.name ? "" : ` (also: teamwork ${dashedName(row)})`
  return [
    `Usage: teamwork ${row.name} ${required.join("")}[flags]${rest}${aliases}`,
    "",
    `${command.summary}.`,
    ...(command.positional === undefined
      ? []
      : ["", `Without its flag: ${command.positional.map((field) => field.toUpperCase()).join(" ")}`]),
    ...(flags.length === 0 ? [] : ["", "Flags:", ...flags.map(describeFlag)]),
    ...(command.example === undefined ? [] : ["", "Example:", `  ${command.example}`]),
  ].join("\n")
}

/** A global flag that this command defines differently. */
function isOwn({ fields }: Command, { field }: Flag): boolean {
  return field === "format" && field in fields
}

export async function overview(noun?: string): Promise<string> {
  const rows = VISIBLE_COMMANDS.filter(
    (row) => noun === undefined || row.name === noun || row.name.startsWith(`${noun} `),
  )
  const shown = rows.length > 0 ? rows : VISIBLE_COMMANDS
  const summaries = await Promise.all(
    shown.map(async (row) => `  ${row.name.padEnd(20)} ${(await row.load()).summary}`),
  )
  return [
    `Usage: teamwork ${noun !== undefined && rows.length > 0 ? noun : "<command>"} ... [flags]`,
    "",
    "A team of AI coding agents on one git repository.",
    "",
    "Commands:",
    ...summaries,
    "",
    "Flags of a command: teamwork <command> --help. Every command is also known with a dash: teamwork task-claim.",
  ].join("\n")
}

function describeFlag(flag: Flag): string {
  return `  ${usageOf(flag).padEnd(28)} ${flag.description}${isRequired(flag) ? " (required)" : ""}`
}

function isRequired(flag: Flag): boolean {
  return !flag.isOptional && !DETECTED_FIELDS.includes(flag.field)
}

function usageOf(flag: Flag): string {
  switch (flag.kind) {
    case "flag":
      return `--${flag.name}`
    case "number":
      return `--${flag.name} N`
    case "record":
      return `--${flag.name} JSON`
    case "text":
      return `--${flag.name} TEXT`
    case "list":
      return flag.separator === undefined ? `--${flag.name} TEXT ...` : `--${flag.name} A,B`
    default:
      return unreachable(flag.kind)
  }
}
