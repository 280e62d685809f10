import * as v from "valibot"
import { command } from "../../app/command.ts"
import { flag, number } from "../../lib/schema.ts"
import { oneLine } from "../../lib/text/table.ts"
import { waitForWork } from "../../tasks/effects/wait-for-work.ts"
import { setupWorker } from "../operations/setup-worker.ts"

const input = {
  ...setupWorker.input,
  loop: flag("wait for the project and for a task"),
  keepPolling: flag("with loop: wait on when the project is complete"),
  pollInterval: v.optional(number("seconds between two status lines while waiting", { min: 0.01, max: 86_400 })),
}

export const workerSetup = command({
  summary: setupWorker.summary,
  fields: input,
  example: "teamwork worker setup --role backend --loop",
  async run({ host, configured, context }, { loop, keepPolling, pollInterval, ...rest }) {
    const found = await waitForWork(
      await context(),
      {
        ...rest,
        loop: loop ?? false,
        keepPolling: keepPolling ?? false,
        pollIntervalSeconds: pollInterval ?? (await configured()).pollIntervalSeconds,
      },
      {
        say: (line) => host.io.err(`[${host.io.wallClock()}] ${oneLine(line)}`),
        clock: host.clock,
        signal: host.io.interrupted,
      },
    )
    const role = found.worker?.role ?? rest.role
    const who = found.worker === null ? "" : `Worker ${found.worker.id}. `
    return {
      data: found,
      text: () =>
        found.next === null
          ? `${who}No tasks${role ? ` for role ${role}` : ""}${found.reason === "none" ? "" : ` (${found.reason})`}`
          : `${who}Next: task ${found.next.id}: "${oneLine(found.next.title)}" (${found.available} available)`,
    }
  },
})
