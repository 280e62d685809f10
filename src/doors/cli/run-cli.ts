import { type Command, type CommandRow, dashedName, type Outcome, type Session } from "../../app/command.ts"
import type { Configured, GlobalFlags, Host } from "../../app/host.ts"
import { openSession } from "../../app/open-session.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { isWorkerMark } from "../../lib/process/worker-mark.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { oneLine } from "../../lib/text/table.ts"
import { toWire } from "../../lib/text/wire-names.ts"
import { explainDenied } from "../denied-write.ts"
import { errorFacts } from "../error-facts.ts"
import { cliWords } from "./cli-words.ts"
import { findCommand, VISIBLE_COMMANDS } from "./commands.ts"
import { exitCodeOf } from "./exit-codes.ts"
import { checkInput, flagsOf, parseFlags } from "./flags.ts"
import { DETECTED_FIELDS, GLOBAL_FIELDS } from "./global-fields.ts"
import { assertForAgents } from "./person-commands.ts"

/** Returns the exit code. Every error becomes one line. */
export async function runCli(args: readonly string[], host: Host): Promise<number> {
  const ours = args.includes("--") ? args.slice(0, args.indexOf("--")) : args
  const wantsJson = ours.some(
    (arg, index) => arg === "--json" || arg === "--format=json" || (arg === "--format" && ours[index + 1] === "json"),
  )
  try {
    return await dispatch(args, host)
  } catch (error) {
    const failure = error instanceof AppError ? error : (explainDenied(error) ?? unexpected(error, host))
    const { code, details } = failure
    const facts = errorFacts(failure, await cliWords(failure, VISIBLE_COMMANDS, placeIn(ours)))
    const lines = wantsJson || !Array.isArray(details.lines) ? [] : details.lines
    for (const line of lines) host.io.err(oneLine(String(line)))
    host.io.err(wantsJson ? JSON.stringify({ status: "error", ...facts }) : saying("Error", facts.message))
    // Agent programs treat exit code 2 as a denial. A flag of a newer plugin must not deny everything.
    return args[0] === "hook" ? FAILED : exitCodeOf(code)
  }
}

/** Flags that name the team of a call. A remedy without them would be for another team. */
function placeIn(args: readonly string[]): GlobalFlags {
  const flagIn = (name: string) => {
    const at = args.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`))
    const word = args[at]
    return word === `--${name}` ? args[at + 1] : word?.slice(`--${name}=`.length)
  }
  const store = flagIn("store")
  // Never print an address with a password.
  const given = { project: flagIn("project"), team: flagIn("team"), store: store?.includes("@") ? undefined : store }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

const FAILED = 1

/** One line, even if the message quotes foreign text. */
function saying(kind: "Error" | "Warning", message: string): string {
  return `${kind}: ${oneLine(message)}`
}

/** A bug of ours: one line, and the stack trace only with TEAMWORK_DEBUG. */
function unexpected(error: unknown, host: Host): AppError {
  if (host.isDebugging) host.io.err(error instanceof Error ? (error.stack ?? error.message) : String(error))
  const what = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ").slice(0, 300)
  return new AppError(
    "internal",
    `unexpected: ${what}; this is a bug in teamwork, TEAMWORK_DEBUG=1 shows where`,
    {},
    { cause: error },
  )
}

async function dispatch(given: readonly string[], host: Host): Promise<number> {
  const args = commandFirst(given)
  const [first] = args
  if (first === undefined || first === "help" || first === "--help" || first === "-h")
    return showHelp(args.slice(1), host)
  if (first === "--version" || first === "version") {
    host.io.out(host.version)
    return 0
  }
  const found = findCommand(args)
  if (found === undefined) return unknownCommand(args, host)
  const command = await found.row.load()
  const rest = args.slice(found.used).map((arg) => (arg === "-h" ? "--help" : arg))
  const flags = flagsOf({ ...GLOBAL_FIELDS, ...command.fields })
  const parsed = parseFlags(rest, flags, command.positional ?? [], `see: teamwork ${found.row.name} --help`)
  if (parsed.values.help === true) {
    const { commandHelp } = await loadHelp()
    host.io.out(commandHelp(found.row, command))
    return 0
  }
  if (parsed.rest.length > 0 && command.takesRest === undefined) {
    throw new AppError("usage", `teamwork ${found.row.name} takes nothing behind --`)
  }
  if (Object.keys(host.env).some(isWorkerMark)) assertForAgents(found.row.name, parsed.values)
  return execute(command, parsed, host)
}

/** Accepts global flags before the command: `teamwork --json task list`. */
function commandFirst(args: readonly string[]): readonly string[] {
  let at = 0
  for (const names = flagsOf(GLOBAL_FIELDS); at < args.length; at++) {
    const word = args[at] ?? ""
    const flag = names.find(
      (each) => each.field !== "help" && (word === `--${each.name}` || word.startsWith(`--${each.name}=`)),
    )
    if (flag === undefined) break
    if (flag.kind !== "flag" && !word.includes("=")) at++
  }
  const rest = args.slice(at)
  const end = rest.includes("--") ? rest.indexOf("--") : rest.length // what follows -- belongs to another program
  return [...rest.slice(0, end), ...args.slice(0, at), ...rest.slice(end)]
}

async function execute(
  command: Command,
  parsed: { values: Record<string, unknown>; rest: readonly string[] },
  host: Host,
): Promise<number> {
  const fields = { ...GLOBAL_FIELDS, ...pickFormat(command.fields) }
  const global = checkInput(fields, pick(parsed.values, Object.keys(fields)))
  if (command.takesRest !== undefined) parsed.values[command.takesRest] = parsed.rest
  const flags: GlobalFlags = pick(global, ["project", "team", "store"])
  await using opened = openSession(host, flags)
  const input = await fillInput(command, parsed.values, opened.configured)
  const isJsonAsked = global.json === true || global.format === "json"
  const isJson = isJsonAsked || (global.format === undefined && !host.io.isTerminal)
  const { configured, context, reconfigure } = opened
  const base = { host, flags, isJson, isJsonAsked, commands: VISIBLE_COMMANDS }
  const session: Session = { ...base, configured, context, ...(reconfigure === undefined ? {} : { reconfigure }) }
  const outcome = await command.run(session, input)
  return print(outcome, host, outcome.isDocument === true ? isJsonAsked : isJson)
}

async function fillInput(command: Command, values: Record<string, unknown>, configured: () => Promise<Configured>) {
  const fields = Object.keys(command.fields)
  const detectable = DETECTED_FIELDS.filter((field) => fields.includes(field))
  const defaults = detectable.length === 0 ? {} : pick({ ...(await configured()) }, detectable)
  return checkInput(command.fields, { ...defaults, ...pick(values, fields) }, command.example)
}

async function print(outcome: Outcome, host: Host, isJson: boolean): Promise<number> {
  for (const warning of outcome.warnings ?? []) host.io.err(saying("Warning", warning))
  if (outcome.silent === true) return outcome.exitCode ?? 0
  const { columns, color } = host.io
  if (isJson || outcome.text === undefined) printJson(outcome, host.io)
  else host.io.out(await outcome.text({ columns, color }))
  return outcome.exitCode ?? 0
}

const SHORT_LIST = 200
/** Collect garbage after this many items, at most MOST_CLEANINGS times: each takes time in proportion to the list. */
const CLEAN_EVERY = 10 * SHORT_LIST
const MOST_CLEANINGS = 8

function printJson({ data, keepsNames }: Outcome, io: Host["io"]): void {
  const wire = keepsNames === true ? (value: unknown) => value : toWire
  if (Array.isArray(data) && data.length > SHORT_LIST) io.outParts(listParts(data, wire))
  else io.out(JSON.stringify({ status: "success", data: wire(data) }))
}

/** Prints a long list in pieces. In one piece it would be in memory three times. */
function* listParts(items: readonly unknown[], wire: (value: unknown) => unknown): Generator<string> {
  const every = Math.max(CLEAN_EVERY, items.length / MOST_CLEANINGS)
  let cleanAt = 0
  yield '{"status":"success","data":['
  for (let at = 0; at < items.length; at += SHORT_LIST) {
    if (at >= cleanAt) {
      Bun.gc(true)
      cleanAt += every
    }
    const part = items.slice(at, at + SHORT_LIST).map((item) => JSON.stringify(wire(item)))
    yield `${at === 0 ? "" : ","}${part.join(",")}`
  }
  yield "]}\n"
}

async function showHelp(args: readonly string[], host: Host): Promise<number> {
  const words = args.filter((arg) => !arg.startsWith("-"))
  const found = words.length === 0 ? undefined : findCommand(words)
  const { commandHelp, overview } = await loadHelp()
  if (found !== undefined) host.io.out(commandHelp(found.row, await found.row.load()))
  else if (words.length === 0 || isNoun(words[0])) host.io.out(await overview(words[0]))
  else return unknownCommand(words, host)
  return 0
}

/** A noun alone lists its verbs; other words get the nearest command. */
async function unknownCommand(args: readonly string[], host: Host): Promise<number> {
  const [first = "", second] = args
  if (isNoun(first) && (second === undefined || second.startsWith("-"))) {
    const isAsked = second === "--help" || second === "-h"
    const shown = await (await loadHelp()).overview(first)
    if (isAsked) host.io.out(shown)
    else host.io.err(shown)
    return isAsked ? 0 : 2
  }
  const names = VISIBLE_COMMANDS.flatMap((row: CommandRow) => [row.name, dashedName(row)])
  const both = second === undefined || second.startsWith("-") ? first : `${first} ${second}`
  const typed = isNoun(first) ? both : first
  const withNouns = [...names, ...names.flatMap((name) => name.split(" ", 1))]
  // A single word may be a noun: `projct` means project, not prompt.
  const close = nearest(both, both === first ? withNouns : names) ?? nearest(first, withNouns)
  const hint = close === undefined ? "." : `; did you mean: teamwork ${close}?`
  const known = [...new Set(VISIBLE_COMMANDS.map(({ name }) => name.split(" ", 1)[0]))].sort().join(", ")
  throw new AppError("usage", `unknown command ${quoteInput(typed)}${hint} Known: ${known}. More: teamwork help`)
}

function isNoun(word = ""): boolean {
  return VISIBLE_COMMANDS.some((row) => row.name.startsWith(`${word} `))
}

function pickFormat({ format }: Command["fields"]): Command["fields"] {
  return format === undefined ? {} : { format }
}

function pick(values: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)))
}

/** Loading it with every call would take 0.2 ms. */
const loadHelp = () => import("./help.ts")
