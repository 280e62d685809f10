import type { Fields, InputOf } from "../lib/schema.ts"
import type { Screen } from "../lib/text/table.ts"
import type { Context, Operation } from "../store/operation.ts"
import type { Configured, GlobalFlags, Host } from "./host.ts"

/** A row of the table of commands. */
export interface CommandRow {
  /** `noun verb`; it is also known as `noun-verb`. */
  readonly name: string
  readonly alias?: string
  /** For our own processes; not in help and completion. */
  readonly isInternal?: true
  /** Loads only what this command needs. */
  readonly load: () => Promise<Command>
}

export function dashedName(row: CommandRow): string {
  return row.alias ?? row.name.replace(" ", "-")
}

export interface Session {
  readonly commands: readonly CommandRow[]
  readonly host: Host
  /** Settings from the command line, which override all others. */
  readonly flags: GlobalFlags
  /** Read at the first call, so that commands that repair the configuration work with a broken one. */
  configured(): Promise<Configured>
  /** Makes the next call read the configuration again. */
  reconfigure?(): Promise<void>
  readonly isJson: boolean
  /** The caller asked for JSON; otherwise it is the default of a pipe. */
  readonly isJsonAsked: boolean
  /** Fires when the caller no longer waits for the answer. A command line has none. */
  readonly cancelled?: AbortSignal
  /** Opens the store at the first call. */
  context(): Promise<Context>
}

/** What a person or an agent may call, at any door. */
export interface Command<F extends Fields = Fields> {
  readonly summary: string
  readonly fields: F
  /** Fields that may be given without their flag, in this order. */
  readonly positional?: readonly string[]
  /** The field that gets everything after `--`. */
  readonly takesRest?: string
  readonly example?: string
  run(session: Session, input: InputOf<F>): Promise<Outcome>
}

/** Infers the type of the input from the fields. */
export function command<F extends Fields>(definition: Command<F>): Command<F> {
  return definition
}

export interface Outcome {
  /** What programs get. */
  readonly data: unknown
  /** Names inside `data` are not ours and stay as they are. */
  readonly keepsNames?: boolean
  /** What people get. */
  readonly text?: (screen: Screen) => string | Promise<string>
  readonly warnings?: readonly string[]
  readonly exitCode?: number
  /** The text is a document: a pipe gets it too, unless the caller asks for JSON. */
  readonly isDocument?: boolean
  /** Everything is printed already. */
  readonly silent?: boolean
}

/** A command that is exactly one operation. */
export function fromOperation<F extends Fields, Result>(
  operation: Operation<F, Result>,
  options: {
    readonly positional?: readonly string[]
    readonly example?: string
    /** What programs get, if not the result itself. */
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
