// A real terminal, played by tmux.
import { sandboxEnv } from "../support/sandbox.ts"
import { type Bench, MAIN, until } from "./bench.ts"

export const HAS_TMUX = Bun.which("tmux") !== null
export const WHY_NO_TMUX = HAS_TMUX ? "" : " (skipped: there is no tmux)"
/** Stands on the screen when the command line is done. */
export const END = "=== end ==="

export interface Pane extends Disposable {
  /** The screen as it is now; with the codes that colour it when asked for. */
  screen(withCodes?: boolean): string
  /** The first screen that fits; waits for it. */
  until(fits: (screen: string) => boolean): Promise<string>
  press(...keys: string[]): void
  /** Everything since the beginning, also what has left the screen. */
  all(): string
  resize(columns: number, rows: number): void
}

let counter = 0

/** A terminal of the given width that runs one command line in a shell. */
export function openPane(
  bench: Bench,
  columns: number,
  line: string,
  env: Record<string, string> = {},
  rows = 60,
): Pane {
  const socket = `e2e-${process.pid}-${counter++}`
  const variables = sandboxEnv({
    ...{ HOME: bench.home, TEAMWORK_TEST_BASE_DIR: bench.home, LANG: "C.UTF-8", TERM: "xterm-256color" },
    ...{ BUN: process.execPath, MAIN, ...env },
  })
  const tmux = (...args: string[]) =>
    Bun.spawnSync(["tmux", "-u", "-f", "/dev/null", "-L", socket, ...args], { cwd: bench.cwd, env: variables })
  // Ctrl+C reaches the shell too, which is to go on.
  const script = `trap : INT; teamwork() { "$BUN" "$MAIN" "$@"; }; ${line}; echo '${END}'; exec cat`
  const started = tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "sh", "-c", script)
  if (!started.success) throw new Error(`tmux: ${started.stderr}`)
  const screen = (withCodes = false) => tmux("capture-pane", "-p", ...(withCodes ? ["-e"] : [])).stdout.toString()
  return {
    screen,
    async until(fits) {
      let seen = ""
      await until(
        () => {
          seen = screen()
          return fits(seen)
        },
        () => `for the screen:\n${seen}`,
      )
      return seen
    },
    all: () => tmux("capture-pane", "-p", "-S", "-").stdout.toString(),
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    press: (...keys) => void tmux("send-keys", ...keys),
    [Symbol.dispose]: () => void tmux("kill-server"),
  }
}
