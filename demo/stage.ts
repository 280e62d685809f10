// Where the demo plays: a scratch folder that is home, temp folder and repository at once, and gone in the end; and the
// two things it does all the time, running `teamwork` for real and printing to a screen of 80 columns.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const MAIN = join(import.meta.dir, "../src/main.ts")
const COLUMNS = 80
const CALL_TIMEOUT_MS = 10_000

export interface Stage extends Disposable {
  readonly repository: string
  readonly env: Record<string, string>
}

export function setStage(): Stage {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "teamwork-demo-")))
  const folder = (name: string) => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  const env: Record<string, string> = {
    HOME: folder("home"),
    TEAMWORK_HOME: folder("teamwork"),
    TMPDIR: folder("tmp"),
    COLUMNS: String(COLUMNS),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_AUTHOR_NAME: "Demo",
    GIT_AUTHOR_EMAIL: "demo@example.invalid",
    GIT_COMMITTER_NAME: "Demo",
    GIT_COMMITTER_EMAIL: "demo@example.invalid",
  }
  // Nothing else of the person's environment reaches a process of the demo.
  for (const name of ["PATH", "LANG", "TERM"]) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  const dispose = () => rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  return { repository: folder("shop"), env, [Symbol.dispose]: dispose }
}

export interface Answer {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the real command line. People see tables by default; a pipe has to ask for them. */
export function callTeamwork(stage: Omit<Stage, keyof Disposable>, args: readonly string[]): Promise<Answer> {
  const wantsJson = args.includes("--json")
  const rest = args.indexOf("--")
  const end = rest === -1 ? args.length : rest
  const format = wantsJson ? [] : ["--format", "table"]
  return callProgram(stage, [process.execPath, MAIN, ...args.slice(0, end), ...format, ...args.slice(end)])
}

export async function callProgram(
  { repository, env }: Omit<Stage, keyof Disposable>,
  command: readonly string[],
): Promise<Answer> {
  const child = Bun.spawn([...command], {
    cwd: repository,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: CALL_TIMEOUT_MS,
    killSignal: "SIGKILL",
  })
  running.add(child)
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  running.delete(child)
  if (isStopped) return new Promise(() => {}) // whoever asked goes no further
  return { exitCode: child.exitCode, stdout, stderr }
}

const running = new Set<Bun.Subprocess>()
let isStopped = false

/** For an end before the end: a command that goes on would make the scratch folder anew. */
export async function stopCommands(): Promise<void> {
  isStopped = true
  for (const child of running) child.kill("SIGKILL")
  await Promise.all([...running].map((child) => child.exited))
}

const isColored = process.stdout.isTTY === true && (process.env.NO_COLOR ?? "") === ""

export function paint(text: string, style: "bold" | "dim" | "green" | "red"): string {
  const codes = { bold: 1, dim: 2, green: 32, red: 31 }
  return isColored ? `\u001b[${codes[style]}m${text}\u001b[0m` : text
}

/** Prints text in lines that fit; what goes on in a new line is indented. */
export function print(text: string, style?: Parameters<typeof paint>[1]): void {
  for (const line of text.split("\n")) {
    const parts = Bun.stringWidth(line) <= COLUMNS ? [line] : fill(line.split(" "), COLUMNS)
    for (const part of parts) console.log(style === undefined ? part : paint(part, style))
  }
}

/** Prints a command the way a shell takes it, also in several lines. */
export function echo(words: readonly string[]): void {
  const mark = " \\"
  const lines = fill(["$", ...words], COLUMNS - mark.length)
  console.log(paint(lines.join(`${mark}\n`), "bold"))
}

function fill(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (Bun.stringWidth(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`    ${word}`)
  }
  return lines
}

/** An argument as one would type it in a shell. */
export function quote(text: string): string {
  if (/^[A-Za-z0-9_./:=@%+,-]+$/.test(text)) return text
  return text.includes('"') ? `'${text}'` : `"${text}"`
}
