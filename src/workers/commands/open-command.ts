import { existsSync } from "node:fs"
import { userInfo } from "node:os"
import { command, type Session } from "../../app/command.ts"
import { openWorker, workerOptions } from "../../app/wiring/open-worker.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { runHere, sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import { resolvePath } from "../../lib/paths.ts"
import { flag, type InputOf } from "../../lib/schema.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { followHistory } from "../../reporting/operations/read-history.ts"
import { taskIdField, teamFields } from "../../store/operation.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { checkTakeable } from "../../tasks/operations/take-for-person.ts"
import { personsName } from "../../tasks/persons-claim.ts"
import type { Task } from "../../tasks/task.ts"
import type { WorkerRun } from "../loop/worker-ports.ts"
import {
  type Afterwards,
  findSession,
  makeOpenCommand,
  type OpenEnd,
  type Opened,
  type OpenPorts,
  openTask,
} from "../open/open-task.ts"
import { checkSessionLock } from "../open/session-lock.ts"

const input = {
  ...teamFields,
  id: taskIdField,
  done: flag("afterwards: judge and deliver it as the task's work"),
  giveBack: flag("afterwards: let a worker go on from there"),
  keep: flag("afterwards: pause it for you, until it is opened or resumed"),
  print: flag("only print the command and its variables; nothing is claimed or started"),
  sourceDir: sourceDirField,
}
type Input = InputOf<typeof input>

export const open = command({
  summary: "Take over a task: open its agent's own session in its workspace, and give it back afterwards",
  fields: input,
  positional: ["id"],
  example: "teamwork open 3 --done",
  async run(session, given) {
    const next = readNext(given)
    const { io } = session.host
    const folder = resolvePath(given.sourceDir ?? ".", io.cwd)
    const task = await getTask.run(await session.context(), { project: given.project, team: given.team, id: given.id })
    if (given.print === true) return print(session, await makeRun(session, given), task)
    if (!io.canAsk)
      throw new AppError(
        "usage",
        (say) => `a session needs a terminal; run it in one, or see the command with ${say.field("print")}`,
      )
    await trustHere(session, { folder })
    const end = await openTask(await makeRun(session, given), task, openPorts(session, next))
    return { data: end, text: () => describeEnd(end), exitCode: end.isInterrupted ? 130 : end.isDone ? 0 : 1 }
  },
})

function readNext({ done, giveBack, keep }: Input): Afterwards | undefined {
  const given = { done, "give-back": giveBack, keep }
  const asked = (["done", "give-back", "keep"] as const).filter((next) => given[next] === true)
  if (asked.length > 1)
    throw new AppError(
      "usage",
      (say) => `choose one of ${say.field("done")}, ${say.field("giveBack")} and ${say.field("keep")}`,
    )
  return asked[0]
}

/** The first signal ends the session at once. */
async function makeRun(session: Session, given: Input): Promise<WorkerRun> {
  const { env } = session.host
  const { project, team } = given
  const { run } = await runHere(session, { project, team })
  const asked = { project, team, run, sourceDir: given.sourceDir }
  const ports = await openWorker(session, asked)
  return {
    ports,
    options: await workerOptions(session, asked),
    team: { project, team, run },
    ending: {
      drain: ports.drain,
      stop: ports.drain,
      reason: () => undefined,
      shutDown: () => undefined,
      [Symbol.dispose]: () => undefined,
    },
    worker: personsName(env.USER ?? env.LOGNAME ?? userInfo().username) as WorkerId,
    history: followHistory(ports.context, { project, team, run }),
  }
}

function openPorts({ host }: Session, next: Afterwards | undefined): OpenPorts {
  const { io, env } = host
  return {
    shell: env.SHELL ?? "sh",
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    run: ({ command, env: own, workspace }, signal) =>
      io.interactive(command, { cwd: workspace, signal, env: { TERM: env.TERM, ...own } }),
    async askNext() {
      // A session that a signal ended is not done, whatever the flag.
      if (io.interrupted.aborted) return next === "give-back" ? next : null
      if (next !== undefined) return next
      for (;;) {
        const answer = await io.ask(QUESTION, io.interrupted)
        if (answer === null) return null
        const found = ANSWERS[answer.trim().toLowerCase()]
        if (found !== undefined) return found
      }
    },
  }
}

const QUESTION = "Is the task done (d), shall a worker go on (g), or do you keep it (k)? "
const ANSWERS: Readonly<Partial<Record<string, Afterwards>>> = {
  d: "done",
  done: "done",
  g: "give-back",
  "give-back": "give-back",
  k: "keep",
  keep: "keep",
}

/** Refuses what `open` would refuse. */
async function print(session: Session, run: WorkerRun, task: Task) {
  const { worker: owner, team, ports, options } = run
  const { leaseSeconds } = options.settings
  const deadToken = await checkSessionLock(run, task.id)
  await checkTakeable(ports.context, { ...team, id: task.id, owner, leaseSeconds, deadToken })
  const workspace = ports.workspaces.pathOf(owner)
  const found = await findSession(run, task)
  const opened = (found && (await makeOpenCommand(run, { ...found, task, workspace }))) ?? null
  const data = {
    task: task.id,
    workspace,
    agent: opened?.agent ?? null,
    session: opened?.session ?? null,
    command: opened?.command ?? [session.host.env.SHELL ?? "sh"],
    env: opened?.env ?? {},
    workspaceExists: existsSync(workspace),
    takenFrom: task.status === "in_progress" && task.claimedBy !== owner ? task.claimedBy : null,
  }
  const warnings = session.isJsonAsked ? [] : notesOf(data)
  return { data, isDocument: true, warnings, text: () => commandLine(data) }
}

function notesOf({ task, workspaceExists, takenFrom }: Printed): string[] {
  const makes = workspaceExists ? "moves this folder to the task's work" : "creates this folder"
  const from = takenFrom === null ? "" : `takes the task over from ${takenFrom} and `
  return [`teamwork open ${task} first ${from}${makes}`]
}

interface Printed {
  readonly task: string
  readonly workspaceExists: boolean
  readonly takenFrom: string | null
}

function commandLine({ workspace, env, command }: Pick<Opened, "workspace" | "env" | "command">): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoteArgument(value)}`)
  const words = [...(variables.length === 0 ? [] : ["env", ...variables]), ...command.map(quoteArgument)]
  return `cd ${quoteArgument(workspace)} && ${words.join(" ")}`
}

function describeEnd({ task, next, isDone, reason }: OpenEnd): string {
  if (!isDone) return `Task ${task} goes back to the workers: ${reason}`
  const ends = {
    done: `Task ${task} is done`,
    "give-back": `Task ${task} goes back to the workers, with what was done`,
    keep: `${reason === null ? "" : `\n${reason}: `}Task ${task} is paused for you; go on with: teamwork open ${task}`,
  } as const satisfies Record<Afterwards, string>
  return ends[next]
}
