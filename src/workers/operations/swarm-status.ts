import { describeSwarm, type SwarmReport } from "../../reporting/status.ts"
import { operation, runFields } from "../../store/operation.ts"
import { getTeam } from "../../tasks/operations/lookup.ts"
import { currentWave } from "../../tasks/wave.ts"

export const swarmStatus = operation({
  name: "swarm.status",
  summary: "Show the workers and what they do",
  input: runFields,
  run: ({ store }, input): Promise<SwarmReport> =>
    store.read(async (tx) => {
      const team = await getTeam(tx, input)
      const unread = new Map((await tx.messages.countUnread(team.key)).map((row) => [row.inbox, row.unread]))
      const workers = (await tx.workers.list(team.key)).map((worker) => ({
        ...worker,
        unread: unread.get(worker.id) ?? 0,
      }))
      return describeSwarm(team, currentWave(await tx.waves.list(team.key)), workers)
    }),
})
