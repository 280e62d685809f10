import { resolvePath } from "../../lib/paths.ts"

/** A parameter everywhere, so that tests pass their own. */
export type Env = Readonly<Record<string, string | undefined>>

export type Environment = {
  readonly userHome: string
  readonly home: string
  /** The terminal of a person or agent; safe as a file name. */
  readonly terminalId: string
  readonly noColor: boolean
  readonly isDebugging: boolean
  /** Unlimited for a pipe: programs get uncut text. */
  readonly columns: number
}

export function readEnvironment(env: Env, terminal: { stdoutIsTTY: boolean; columns?: number }): Environment {
  const terminalId =
    variable(env, "TEAMWORK_TERMINAL_ID") ??
    // The session's hooks get the same id.
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

/** Tests replace it, so that they never read the real home. */
export function userHomeOf(env: Env): string {
  const home = variable(env, "TEAMWORK_TEST_BASE_DIR") ?? variable(env, "HOME")
  // Loading `node:os` takes 0.5 ms; only needed without HOME.
  return resolvePath(home ?? process.getBuiltinModule("node:os").homedir())
}

export function teamworkHomeOf(env: Env): string {
  const own = variable(env, "TEAMWORK_TEST_BASE_DIR") ?? variable(env, "TEAMWORK_HOME")
  return own === undefined ? `${userHomeOf(env)}/.claude/teamwork` : resolvePath(own)
}

/** An empty variable counts as unset, as in a shell. */
export function variable(env: Env, name: string): string | undefined {
  const value = env[name]
  return value === "" ? undefined : value
}

function asWidth(columns: number | undefined): number | undefined {
  return columns !== undefined && Number.isSafeInteger(columns) && columns > 0 ? columns : undefined
}
