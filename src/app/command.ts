import type { Fields, InputOf } from "../lib/schema.ts"
import type { Screen } from "../lib/text/table.ts"
import type { Context, Operation } from "../store/operation.ts"
import type { Configured, GlobalFlags, Host } from "./host.ts"

export interface CommandRow {
  /** `noun verb`; it is also known as `noun-verb`. */
  readonly name: string
  readonly alias?: string
  /** For our own processes; hidden from help and completion. */
  readonly isInternal?: true
  readonly load: () => Promise<Command>
}

export function dashedName(row: CommandRow): string {
  return row.alias ?? row.name.replace(" ", "-")
}

export interface Session {
  readonly commands: readonly CommandRow[]
  readonly host: Host
  readonly flags: GlobalFlags
  /** Read at the first call, so that a command can repair a broken configuration. */
  configured(): Promise<Configured>
  reconfigure?(): Promise<void>
  readonly isJson: boolean
  /** The caller asked for JSON explicitly; a pipe gets it by default. */
  readonly isJsonAsked: boolean
  /** Fires when the caller stops waiting. The command line never sets it. */
  readonly cancelled?: AbortSignal
  context(): Promise<Context>
}

export interface Command<F extends Fields = Fields> {
  readonly summary: string
  readonly fields: F
  /** Fields that need no flag, in this order. */
  readonly positional?: readonly string[]
  /** The field that gets everything after `--`. */
  readonly takesRest?: string
  readonly example?: string
  run(session: Session, input: InputOf<F>): Promise<Outcome>
}

export function command<F extends Fields>(definition: Command<F>): Command<F> {
  return definition
}

export interface Outcome {
  readonly data: unknown
  /** The names inside `data` come from elsewhere: do not convert them. */
  readonly keepsNames?: boolean
  /** For people; programs get `data`. */
  readonly text?: (screen: Screen) => string | Promise<string>
  readonly warnings?: readonly string[]
  readonly exitCode?: number
  /** A pipe gets the text too, unless the caller asks for JSON. */
  readonly isDocument?: boolean
  readonly silent?: boolean
}

export function fromOperation<F extends Fields, Result>(
  operation: Operation<F, Result>,
  options: {
    readonly positional?: readonly string[]
    readonly example?: string
    readonly data?: (result: Result) => unknown
    readonly text: (result: Result, screen: Screen) => string | Promise<string>
  },
): Command<F> {
  return {
    summary: operation.summary,
    fields: operation.input,
    positional: options.positional,
    example: options.example,
    async run(session, input) {
      const result = await operation.run(await session.context(), input)
      return {
        data: options.data === undefined ? result : options.data(result),
        text: (screen) => options.text(result, screen),
        warnings: warningsOf(result),
      }
    },
  }
}

function warningsOf(result: unknown): readonly string[] {
  return typeof result === "object" && result !== null && "warnings" in result ? (result.warnings as string[]) : []
}
