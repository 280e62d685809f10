import { command } from "../../app/command.ts"
import { markedStore, removeMarker, writeMarker } from "../effects/seat-marker.ts"
import { join as joinTeam, leave as leaveTeam } from "../operations/seats.ts"

export const join = command({
  summary: joinTeam.summary,
  fields: joinTeam.input,
  example: "teamwork join --role backend --loop",
  async run({ host, context, configured, flags }, input) {
    const { memory: _, ...seat } = await joinTeam.run(await context(), input)
    const { project, team, terminalId, joinedAt } = seat
    const { home, storeAddress } = await configured()
    const guards = seat.delegation === "strict" ? ("all" as const) : ("writes" as const)
    const store = markedStore(storeAddress, flags.store)
    const place = { folder: host.io.cwd, guards, ...(store === undefined ? {} : { store }) }
    writeMarker(home, terminalId, { project, team, joinedAt, ...place })
    const who = seat.worker === null ? "the lead" : `worker ${seat.worker}`
    const how = seat.role === null ? "" : ` as ${seat.role}`
    const rule = seat.delegation === "strict" ? "; all work on the project is left to workers" : ""
    return {
      data: seat,
      text: () => `You are ${who} of ${project}/${team}${how}${seat.loop ? ", in a loop" : ""}${rule}`,
    }
  },
})

export const leave = command({
  summary: leaveTeam.summary,
  fields: leaveTeam.input,
  async run({ context, configured }, input) {
    const left = await leaveTeam.run(await context(), input)
    const { released } = left
    const { memory: _, ...seat } = left.seat
    removeMarker((await configured()).home, seat.terminalId)
    const back = released.length === 0 ? "" : `; gave back ${released.join(", ")}`
    return {
      data: { ...seat, released },
      text: () => `Left ${seat.project}/${seat.team}${back}`,
    }
  },
})
