import type { TeamName } from "../../kernel/team.ts"
import type { Processes } from "../../lib/process/process.ts"
import type { Context } from "../../store/operation.ts"
import { markNotified } from "../operations/questions.ts"
import type { Question } from "../question.ts"

/** Returns the problem if it fails. */
export type Notify = (notice: TeamName & { readonly question: Question }) => Promise<string | undefined>

interface Notices {
  /** The store remembers sent notifications, so a restart repeats none. */
  look(questions: readonly Question[]): Promise<void>
  readonly ended: Promise<void>
}

interface NoticePorts {
  readonly context: Context
  readonly say: (line: string) => void
  /** Missing if notifications are off. */
  readonly notify?: Notify
}

/** A failed notification does not stop the team. */
export function makeNotices({ context, say, notify }: NoticePorts, { project, team, run }: TeamName): Notices {
  let ended = Promise.resolve()
  async function send(question: Question): Promise<void> {
    const problem = await notify?.({ project, team, question })
    if (problem !== undefined) say(`The notification of ${question.kind} ${question.number} failed: ${problem}`)
  }
  return {
    async look(questions) {
      if (notify === undefined) return
      for (const question of questions) {
        if (question.isTold || !(await markNotified(context, { project, team, run }, question))) continue
        ended = Promise.all([ended, send(question)]).then(() => undefined)
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
  /** Undefined without a terminal. */
  readonly ring: (() => void) | undefined
}

const TIME_LIMIT_MS = 30_000

/** The command gets the text in variables, so no task text is ever part of a shell line. */
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
    const { reason, exitCode, tail } = await processes.run({
      command: ["/bin/sh", "-c", command],
      cwd,
      env: { ...env, ...variables },
      timeoutMs: TIME_LIMIT_MS,
    })
    if (reason === "exited" && exitCode === 0) return undefined
    return `notify.command ${reason === "exited" ? `ended with ${exitCode}` : reason}: ${tail.trim().slice(-500)}`
  }
}
