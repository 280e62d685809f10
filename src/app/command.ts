import type { Fields, InputOf } from "../lib/schema.ts"
import type { Screen } from "../lib/text/table.ts"
import type { Context, Operation } from "../store/operation.ts"
import type { Configured, GlobalFlags, Host } from "./host.ts"

/** A row of the table of commands. */
export interface CommandRow {
  /** `noun verb`; it is also known as `noun-verb`. */
  readonly name: string
  readonly alias?: string
  /** For our own processes; help and completion leave it out. */
  readonly isInternal?: true
  /** Loads what the command needs and nothing else: a call pays only for itself. */
  readonly load: () => Promise<Command>
}

export function dashedName(row: CommandRow): string {
  return row.alias ?? row.name.replace(" ", "-")
}

export interface Session {
  readonly commands: readonly CommandRow[]
  readonly host: Host
  /** What the command line says of the configuration, the highest of its layers. */
  readonly flags: GlobalFlags
  /** Read at the first call, so that commands which mend the configuration work with a broken one. */
  configured(): Promise<Configured>
  /** Has it read anew at the next call, after something changed that it depends on. */
  reconfigure?(): Promise<void>
  readonly isJson: boolean
  /** Somebody said so; otherwise JSON is only what a pipe gets by default. */
  readonly isJsonAsked: boolean
  /** Fires when nobody wants the answer any more; a command line has none and ends with its process. */
  readonly cancelled?: AbortSignal
  /** Opens the store at the first call. */
  context(): Promise<Context>
}

/** Something a person or an agent may ask for, at any door. */
export interface Command<F extends Fields = Fields> {
  readonly summary: string
  readonly fields: F
  /** Fields that may also be given without their flag, in this order. */
  readonly positional?: readonly string[]
  /** Takes everything behind `--`. */
  readonly takesRest?: string
  readonly example?: string
  run(session: Session, input: InputOf<F>): Promise<Outcome>
}

/** Has the type of the input follow from the fields. */
export function command<F extends Fields>(definition: Command<F>): Command<F> {
  return definition
}

export interface Outcome {
  /** What programs get. */
  readonly data: unknown
  /** The names inside `data` follow a format that is not ours. */
  readonly keepsNames?: boolean
  /** What people get; made only when needed. */
  readonly text?: (screen: Screen) => string | Promise<string>
  readonly warnings?: readonly string[]
  readonly exitCode?: number
  /** The text is a document that people pass on: a pipe gets it as it is, unless JSON is asked for. */
  readonly isDocument?: boolean
  /** Everything was printed on the way already. */
  readonly silent?: boolean
}

/** A command that is exactly one operation. */
export function fromOperation<F extends Fields, Result>(
  operation: Operation<F, Result>,
  options: {
    readonly positional?: readonly string[]
    readonly example?: string
    /** What programs get, when it is not the result itself. */
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
