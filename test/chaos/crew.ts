// The test's side of the participants in test/fixtures/participants: starts them, talks to them, and ends those that are
// left, each by its own handle.
import { join } from "node:path"
import { sandboxEnv } from "../support/sandbox.ts"

const FOLDER = join(import.meta.dir, "../fixtures/participants")
const PATIENCE_MS = 60_000

export interface Member {
  readonly name: string
  readonly pid: number
  /** The next line the participant says, parsed. Throws with everything it said when it ended without one. */
  next<T = unknown>(): Promise<T>
  tell(word: string): void
  kill(): void
  isAlive(): boolean
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

export interface Crew extends AsyncDisposable {
  start(script: string, assignment: { name: string; store: string; [key: string]: unknown }): Member
}

export function makeCrew(): Crew {
  const members: Member[] = []
  return {
    start(script, assignment) {
      const member = startMember(join(FOLDER, script), assignment)
      members.push(member)
      return member
    },
    async [Symbol.asyncDispose]() {
      for (const member of members) if (member.isAlive()) member.kill()
      await Promise.all(members.map((member) => member.ended))
    },
  }
}

function startMember(script: string, assignment: { name: string }): Member {
  const child = Bun.spawn([process.execPath, script, JSON.stringify(assignment)], {
    cwd: process.env.HOME,
    env: sandboxEnv(),
    stdio: ["pipe", "pipe", "pipe"],
  })
  const complaints = child.stderr.text()
  const lines = readLines(child.stdout)
  return {
    name: assignment.name,
    pid: child.pid,
    async next<T>() {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => late.reject(new Error(`${assignment.name} said nothing for a minute`)),
        PATIENCE_MS,
      )
      try {
        const line = await Promise.race([lines.next(), late.promise])
        if (line.done !== true) return JSON.parse(line.value) as T
      } finally {
        clearTimeout(timer)
      }
      throw new Error(`${assignment.name} ended (${await endOf(child)}) without another line: ${await complaints}`)
    },
    tell(word) {
      child.stdin.write(`${word}\n`)
      child.stdin.flush()
    },
    kill: () => child.kill("SIGKILL"),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    ended: endOf(child),
  }
}

async function endOf(child: Bun.Subprocess): Promise<number | string> {
  const code = await child.exited
  return child.signalCode ?? code
}

async function* readLines(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of output) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = parts.pop() ?? ""
    yield* parts
  }
}

/** Tells all of them at once, as soon as each has said that it is ready. */
export async function startTogether(members: readonly Member[]): Promise<void> {
  for (const member of members) await member.next()
  for (const member of members) member.tell("go")
}
