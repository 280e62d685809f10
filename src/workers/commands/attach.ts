import { command, type Session } from "../../app/command.ts"
import { show } from "../../app/show-logs.ts"
import { AppError } from "../../kernel/errors.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { runInTerminal } from "../../lib/process/run-in-terminal.ts"
import type { InputOf } from "../../lib/schema.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { teamFields, workerIdField } from "../../store/operation.ts"
import { openLogs } from "../swarm/worker-logs.ts"
import { type KnownWorker, listKnownWorkers } from "../swarm/worker-processes.ts"

const input = { ...teamFields, worker: workerIdField }

/** What is on a screen when somebody comes along. */
const LINES_BEFORE = 20

export const attach = command({
  summary:
    "Watch a running worker and what its agent says, live: its pane in tmux, else its log; Ctrl+C only ends the watching",
  fields: input,
  positional: ["worker"],
  example: "teamwork attach w1",
  async run(session, { worker, ...name }) {
    const { host } = session
    const known = await findRunning(session, { ...name, worker })
    const { home, runtime: open } = await session.configured()
    await using runtime = await open(name, known.runtime)
    const command = await runtime.attachCommand(worker)
    if (command === null) {
      const request = { ...name, of: worker, home, machine: machineName(), turn: null }
      using opened = await openLogs(await session.context(), request)
      await show(session, opened, { tail: LINES_BEFORE })
      return { data: null, silent: true }
    }
    if (!host.io.isTerminal) {
      const line = command.map(quoteArgument).join(" ")
      return { isDocument: true, data: { worker, command }, text: () => line }
    }
    // Inside of a tmux of the user's own it would refuse.
    const exitCode = await runInTerminal(command, { ...host.env, TMUX: undefined })
    return { data: null, silent: true, exitCode }
  },
})

async function findRunning(session: Session, { worker, ...name }: InputOf<typeof input>): Promise<KnownWorker> {
  const machine = machineName()
  const found = (await listKnownWorkers(await session.context(), name, machine)).find(({ id }) => id === worker)
  if (found === undefined)
    throw new AppError(
      "worker.not_found",
      `${worker} is no worker that teamwork started`,
      { workerId: worker },
      { remedy: { operation: "swarm status", to: "see" } },
    )
  if (found.state === "running" && found.machine !== machine)
    throw new AppError("worker.unavailable", `${worker} runs on ${found.machine}; attach to it there`)
  if (found.state === "gone" || found.state === "ended")
    throw new AppError(
      "worker.unavailable",
      `${worker} does not run`,
      {},
      { remedy: { operation: "logs", fields: { of: worker }, to: "see what it did with" } },
    )
  return found
}
