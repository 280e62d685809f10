import * as v from "valibot"
import { command } from "../../app/command.ts"
import { openWorker, workerOptions } from "../../app/wiring/open-worker.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { runHere, sourceDirField } from "../../app/wiring/workspace-tools.ts"
import { resolvePath } from "../../lib/paths.ts"
import { flag, number } from "../../lib/schema.ts"
import { runWorker } from "../loop/run-worker.ts"
import type { WorkerEnd } from "../loop/worker-ports.ts"
import { setupWorker } from "../operations/setup-worker.ts"

const { sessionId: _, ...setupFields } = setupWorker.input

const input = {
  ...setupFields,
  once: flag("do one task and end; with loop wait for one"),
  loop: flag("wait for the project and for tasks; it does so anyway, unless once is given"),
  keepPolling: flag("wait on when the project is complete"),
  pollInterval: v.optional(number("seconds between two status lines while waiting", { min: 0.01, max: 86_400 })),
  sourceDir: sourceDirField,
  managed: flag("end with the team, as a worker that an orchestrator started"),
}

export const worker = command({
  summary: "Work for the team: claim tasks, have agents do them in a worktree, judge and deliver what they did",
  fields: input,
  example: "teamwork worker --role backend",
  async run(session, given) {
    // The user agreed to a managed worker when the run began.
    const folder = resolvePath(given.sourceDir ?? ".", session.host.io.cwd)
    if (given.managed !== true) await trustHere(session, { folder })
    let end: WorkerEnd
    // With keepPolling it continues with the team's next run.
    do {
      const asked = { ...given, run: (await runHere(session, given)).run }
      end = await runWorker(await openWorker(session, asked), await workerOptions(session, asked))
    } while (end.reason === "closed" && given.keepPolling === true)
    return { data: end, text: () => describeEnd(end), exitCode: end.reason === "failures" ? 1 : 0 }
  },
})

const ENDS = {
  complete: "the project is complete",
  over: "the team has ended",
  shutdown: "the lead asked it to end",
  drained: "it was interrupted",
  stopped: "it was stopped",
  once: "it was to do one task",
  none: "there is no task",
  closed: "a new run of the team began",
  failures: "too many setbacks in a row; see: teamwork events tail --type task.setback",
} as const satisfies Record<WorkerEnd["reason"], string>

function describeEnd({ worker: id, reason, delivered, setBack }: WorkerEnd): string {
  const list = (tasks: readonly string[]) => (tasks.length === 0 ? "none" : tasks.join(", "))
  return `Worker ${id ?? "(not registered)"} ended: ${ENDS[reason]}. Delivered: ${list(delivered)}. Set back: ${list(setBack)}.`
}
