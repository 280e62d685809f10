// Which calls of our program a text tells its reader to make, and what would be wrong with them.

import type { Command } from "../../src/app/command.ts"
import { findCommand } from "../../src/doors/cli/commands.ts"
import { checkInput, flagsOf, parseFlags } from "../../src/doors/cli/flags.ts"
import { GLOBAL_FIELDS } from "../../src/doors/cli/global-fields.ts"
import { AppError } from "../../src/kernel/errors.ts"

/** What stands for a value of the reader's, where not any text will do. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { NUMBER: "1", ROLE: "backend", OPTION: "retry" }
/** What the machine knows where a caller says nothing. */
const DETECTED = { project: "shop", team: "main", terminalId: "t1" }

/** Everything in code spans and code blocks, line by line. */
export function codeIn(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap(([, code = ""]) => code.split("\n"))
  const prose = markdown.replaceAll(/^```\w*\n[\s\S]*?^```/gm, "")
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll(/\s+/g, " "))
  return [...blocks, ...spans].map((code) => code.replace(/^\$ /, "").trim()).filter((code) => code !== "")
}

/** The calls among pieces of code, each as its arguments. */
export function callsIn(code: readonly string[]): string[][] {
  return code.filter((each) => /^teamwork [a-z]/.test(each)).map((each) => splitWords(each).slice(1))
}

/** What is wrong with a call, in a line; undefined when the program would take it. Only hosts call what is internal. */
export async function problemWithCall(
  args: readonly string[],
  { isForHosts = false } = {},
): Promise<string | undefined> {
  if (args[0] === "help") return undefined
  const found = findCommand(args)
  const call = `teamwork ${args.join(" ")}`
  if (found === undefined || (found.row.isInternal === true && !isForHosts)) return `${call}: there is no such command`
  const command = await found.row.load()
  try {
    checkCall(
      command,
      args.slice(found.used).map((word) => PLACEHOLDERS[word] ?? word),
    )
  } catch (error) {
    if (error instanceof AppError) return `${call}: ${error.message}`
    throw error
  }
  return undefined
}

function checkCall(command: Command, args: readonly string[]): void {
  const { fields, positional = [], takesRest } = command
  const { values, rest } = parseFlags(args, flagsOf({ ...GLOBAL_FIELDS, ...fields }), positional, "see its help")
  if (rest.length > 0 && takesRest === undefined) throw new AppError("usage", "it takes nothing behind --")
  checkInput(fields, { ...DETECTED, ...values, ...(takesRest === undefined ? {} : { [takesRest]: rest }) })
}

/** Flags that a text mentions by themselves, as `--loop`, which none of its calls' commands has. */
export async function strayFlags(code: readonly string[]): Promise<string[]> {
  const rows = callsIn(code).flatMap((args) => findCommand(args)?.row ?? [])
  const commands = await Promise.all(rows.map((row) => row.load()))
  const known = new Set(
    commands.flatMap(({ fields }) => flagsOf({ ...GLOBAL_FIELDS, ...fields }).map(({ name }) => name)),
  )
  const alone = code.flatMap((each) => /^--([a-z][a-z-]*)/.exec(each)?.[1] ?? [])
  return alone.filter((name) => !known.has(name)).map((name) => `--${name}`)
}

/** As a shell would, for what texts show: quotes, and no more. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  )
}
