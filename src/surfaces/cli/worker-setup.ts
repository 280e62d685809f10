import * as v from "valibot"
import { waitForWork } from "../../engine/wait-for-work.ts"
import { setupWorker } from "../../operations/setup-worker.ts"
import type { Command } from "./command.ts"

const flag = (description: string) => v.optional(v.pipe(v.boolean(), v.description(description)))

const input = v.object({
  ...setupWorker.input.entries,
  loop: flag("wait for the project and for a task"),
  keepPolling: flag("with --loop: wait on when the project is complete"),
  pollInterval: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0.01),
      v.maxValue(86_400),
      v.description("seconds between two status lines while waiting"),
    ),
  ),
})

export const workerSetup: Command = {
  summary: setupWorker.summary,
  fields: input.entries,
  example: "teamwork worker setup --role backend --loop",
  async run({ host, configured, context }, raw) {
    const { loop, keepPolling, pollInterval, ...rest } = v.parse(input, raw)
    const found = await waitForWork(
      await context(),
      {
        ...rest,
        loop: loop ?? false,
        keepPolling: keepPolling ?? false,
        pollIntervalSeconds: pollInterval ?? (await configured()).pollIntervalSeconds,
      },
      { say: (line) => host.io.err(`[${host.io.wallClock()}] ${line}`), signal: host.io.interrupted },
    )
    const role = found.worker?.role ?? rest.role
    const who = found.worker === null ? "" : `Worker ${found.worker.id}. `
    return {
      data: found,
      text: () =>
        found.next === null
          ? `${who}No tasks${role ? ` for role ${role}` : ""}${found.reason === "none" ? "" : ` (${found.reason})`}`
          : `${who}Next: task ${found.next.id}: "${found.next.title}" (${found.available} available)`,
    }
  },
}
