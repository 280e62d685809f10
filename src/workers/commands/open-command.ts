import { userInfo } from "node:os"
import { command, type Session } from "../../app/command.ts"
import { openWorker, workerOptions } from "../../app/wiring/open-worker.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { runHere, sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import { flag, type InputOf } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { followHistory } from "../../reporting/effects/follow-history.ts"
import { taskIdField, teamFields } from "../../store/operation.ts"
import { getTask } from "../../tasks/operations/get-task.ts"
import { personsName } from "../../tasks/persons-claim.ts"
import type { Task } from "../../tasks/task.ts"
import type { Ending } from "../loop/ending.ts"
import type { Shift } from "../loop/shift.ts"
import { makeOpenJob } from "../open/open-job.ts"
import {
  type Afterwards,
  findAgent,
  findOpened,
  type OpenEnd,
  type Opened,
  type OpenPorts,
  openSession,
} from "../open/work-by-hand.ts"

const input = {
  ...teamFields,
  id: taskIdField,
  done: flag("afterwards: judge and deliver it as the task's work"),
  giveBack: flag("afterwards: let a worker go on from there"),
  keep: flag("afterwards: leave it to nobody, until it is opened or resumed"),
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
    if (given.print === true) return print(session, await makeShift(session, given), task)
    if (!io.canAsk)
      throw new AppError(
        "usage",
        (say) => `a session needs a terminal; run it in one, or see the command with ${say.field("print")}`,
      )
    await trustHere(session, { folder })
    const end = await openSession(await makeShift(session, given), task, openPorts(session, next))
    return { data: end, text: () => describeEnd(end), exitCode: end.isDone ? 0 : 1 }
  },
})

function readNext({ done, giveBack, keep }: Input): Afterwards | undefined {
  const asked = [
    ...(done === true ? ["done" as const] : []),
    ...(giveBack === true ? ["give-back" as const] : []),
    ...(keep === true ? ["keep" as const] : []),
  ]
  if (asked.length > 1)
    throw new AppError(
      "usage",
      (say) => `choose one of ${say.field("done")}, ${say.field("giveBack")} and ${say.field("keep")}`,
    )
  return asked[0]
}

/** A person in the place of a worker: nobody tells them to end. */
async function makeShift(session: Session, given: Input): Promise<Shift> {
  const { env } = session.host
  const { project, team } = given
  const { run } = await runHere(session, { project, team })
  const asked = { project, team, run, sourceDir: given.sourceDir }
  const ports = await openWorker(session, asked)
  const ending: Ending = {
    ...{ drain: ports.drain, stop: new AbortController().signal, reason: () => undefined, shutDown: () => undefined },
    [Symbol.dispose]: () => undefined,
  }
  return {
    ...{ ports, options: await workerOptions(session, asked), team: { project, team, run }, ending },
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
      if (next !== undefined) return next
      // Whoever closed the terminal cannot be asked: a worker goes on.
      if (io.interrupted.aborted) return "give-back"
      for (;;) {
        const answer = await io.ask("Is the task done (d), shall a worker go on (g), or do you keep it (k)? ")
        if (answer === null) return "give-back"
        const found = ANSWERS[answer.trim().toLowerCase()]
        if (found !== undefined) return found
      }
    },
  }
}

const ANSWERS: Readonly<Partial<Record<string, Afterwards>>> = {
  ...{ d: "done", done: "done", g: "give-back", "give-back": "give-back", k: "keep", keep: "keep" },
}

/** The workspace is made when it is opened; until then there may be nothing at its path. */
async function print(session: Session, shift: Shift, task: Task) {
  const earlier = await findOpened(shift, task)
  const ready = earlier && (await findAgent(shift, earlier))
  const workspace = shift.ports.workspaces.pathOf(shift.worker)
  const identity = await shift.ports.gitIdentity()
  const job = earlier && ready && (await makeOpenJob(shift, { task, ready, earlier, workspace, identity }))
  const opened = (job && ready.agent.open?.(job)) ?? null
  const data = {
    ...{ task: task.id, workspace, agent: opened && (earlier?.agent ?? null), session: opened && earlier?.session.id },
    command: opened?.command ?? [session.host.env.SHELL ?? "sh"],
    env: opened?.env ?? {},
  }
  return { data, isDocument: true, text: () => commandLine(data) }
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
    keep: `Task ${task} is paused for you; go on with: teamwork open ${task}`,
  } as const satisfies Record<Afterwards, string>
  return ends[next]
}
