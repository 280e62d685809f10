import { resolvePath } from "../../lib/paths.ts"

/** The variables of a process. Everything here takes them as a parameter, so that a test passes its own. */
export type Env = Readonly<Record<string, string | undefined>>

export type Environment = {
  readonly userHome: string
  /** Where our own state and settings live. */
  readonly home: string
  /** Names the terminal a person or agent sits at; safe as a file name. */
  readonly terminalId: string
  readonly noColor: boolean
  /** Show where an unexpected error came from. */
  readonly isDebugging: boolean
  /** The width of the terminal. A pipe has none: what a program reads is never cut. */
  readonly columns: number
}

export function readEnvironment(env: Env, terminal: { stdoutIsTTY: boolean; columns?: number }): Environment {
  const terminalId =
    variable(env, "TEAMWORK_TERMINAL_ID") ??
    // Of an agent's session: its hooks are told the same id.
    variable(env, "CLAUDE_CODE_SESSION_ID") ??
    variable(env, "CODEX_SESSION_ID") ??
    variable(env, "TMUX_PANE") ??
    variable(env, "TERM_SESSION_ID") ??
    `pid-${process.ppid}`
  return {
    userHome: userHomeOf(env),
    home: teamworkHomeOf(env),
    terminalId: asId(terminalId),
    noColor: variable(env, "NO_COLOR") !== undefined || !terminal.stdoutIsTTY,
    isDebugging: variable(env, "TEAMWORK_DEBUG") !== undefined,
    columns: terminal.stdoutIsTTY
      ? (asWidth(terminal.columns) ?? asWidth(Number(variable(env, "COLUMNS"))) ?? 80)
      : Number.POSITIVE_INFINITY,
  }
}

function asId(text: string): string {
  const id = text.replace(/[^A-Za-z0-9._-]/gu, "-").replace(/^[^A-Za-z0-9]+/, "")
  return id.slice(0, 64) || "terminal"
}

/** Where the files of other programs are looked up. A test's base folder stands in for it: a test reads no real home. */
export function userHomeOf(env: Env): string {
  const home = variable(env, "TEAMWORK_TEST_BASE_DIR") ?? variable(env, "HOME")
  // `node:os` takes half a millisecond to load, and is needed only where HOME is not set.
  return resolvePath(home ?? process.getBuiltinModule("node:os").homedir())
}

/** Where our own state and settings live. */
export function teamworkHomeOf(env: Env): string {
  const own = variable(env, "TEAMWORK_TEST_BASE_DIR") ?? variable(env, "TEAMWORK_HOME")
  return own === undefined ? `${userHomeOf(env)}/.claude/teamwork` : resolvePath(own)
}

/** An empty variable counts as not set, as is usual in a shell. */
export function variable(env: Env, name: string): string | undefined {
  const value = env[name]
  return value === "" ? undefined : value
}

function asWidth(columns: number | undefined): number | undefined {
  return columns !== undefined && Number.isSafeInteger(columns) && columns > 0 ? columns : undefined
}
