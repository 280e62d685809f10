import { command, type Session } from "../../app/command.ts"
import { show } from "../../app/show-logs.ts"
import { AppError } from "../../kernel/errors.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { runInTerminal } from "../../lib/process/run-in-terminal.ts"
import type { InputOf } from "../../lib/schema.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { teamFields, workerIdField } from "../../store/operation.ts"
import { openLogs } from "../swarm/worker-logs.ts"
import { getWorkerHere, type KnownWorker, listKnownWorkers } from "../swarm/worker-processes.ts"

const input = { ...teamFields, worker: workerIdField }

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
    // tmux refuses to attach inside the user's own tmux.
    const exitCode = await runInTerminal(command, { ...host.env, TMUX: undefined })
    return { data: null, silent: true, exitCode }
  },
})

async function findRunning(session: Session, { worker, ...name }: InputOf<typeof input>): Promise<KnownWorker> {
  const machine = machineName()
  const known = await listKnownWorkers(await session.context(), name, machine)
  const found = getWorkerHere(known, worker, machine, "attach to it")
  if (found.state === "gone" || found.state === "ended")
    throw new AppError(
      "worker.unavailable",
      `${worker} does not run`,
      {},
      { remedy: { operation: "logs", fields: { of: worker }, to: "see what it did with" } },
    )
  return found
}
