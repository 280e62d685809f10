import type { TeamName } from "../../kernel/team.ts"
import type { Processes } from "../../lib/process/process.ts"
import type { Context } from "../../store/operation.ts"
import { noteTold } from "../operations/questions.ts"
import type { Question } from "../question.ts"

/** Tells a person something, however that is done; why it could not be. */
export type Notify = (notice: Notice) => Promise<string | undefined>

export interface Notice extends TeamName {
  readonly question: Question
}

export interface Notices {
  /** Tells people what they were not told yet. The store knows what that is, so that a restart repeats nothing. */
  look(questions: readonly Question[]): Promise<void>
  /** Resolves when nobody is being told any more. */
  readonly ended: Promise<void>
}

interface NoticePorts {
  readonly context: Context
  readonly say: (line: string) => void
  /** Left out where nobody wants to be told. */
  readonly notify?: Notify
}

/** Nobody waits for it: a person who cannot be reached is no reason to stop. */
export function makeNotices({ context, say, notify }: NoticePorts, { project, team, run }: TeamName): Notices {
  let ended = Promise.resolve()
  async function tell(question: Question): Promise<void> {
    const problem = await notify?.({ project, team, question })
    if (problem !== undefined) say(`Nobody was told of ${question.kind} ${question.number}: ${problem}`)
  }
  return {
    async look(questions) {
      if (notify === undefined) return
      for (const question of questions) {
        if (question.isTold || !(await noteTold(context, { project, team, run }, question))) continue
        ended = Promise.all([ended, tell(question)]).then(() => undefined)
      }
    },
    get ended() {
      return ended
    },
  }
}

export interface NotifySettings {
  readonly bell: boolean
  /** A line for the shell; empty for none. */
  readonly command: string
}

interface NotifyPorts {
  readonly processes: Processes
  readonly cwd: string
  readonly env: Record<string, string | undefined>
  /** Undefined where there is no terminal. */
  readonly ring: (() => void) | undefined
}

const TIME_LIMIT_MS = 30_000

/** The bell of the terminal, and a command that gets what to say in variables: no text of a task ever is part of a line. */
export function makeNotify({ bell, command }: NotifySettings, ports: NotifyPorts): Notify | undefined {
  const { processes, cwd, env, ring } = ports
  if (command === "" && !(bell && ring !== undefined)) return undefined
  return async ({ project, team, question }) => {
    if (bell) ring?.()
    if (command === "") return undefined
    const variables = {
      TEAMWORK_NOTICE: `${project}/${team}: ${question.what}`,
      TEAMWORK_NOTICE_KIND: question.kind,
      TEAMWORK_NOTICE_COMMAND: question.command,
    }
    const line = ["/bin/sh", "-c", command]
    const { reason, exitCode, tail } = await processes.run({
      ...{ command: line, cwd, env: { ...env, ...variables }, timeoutMs: TIME_LIMIT_MS },
    })
    if (reason === "exited" && exitCode === 0) return undefined
    return `notify.command ${reason === "exited" ? `ended with ${exitCode}` : reason}: ${tail.trim().slice(-500)}`
  }
}
