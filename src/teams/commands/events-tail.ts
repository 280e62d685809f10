import { command } from "../../app/command.ts"
import type { Event } from "../../kernel/events.ts"
import { flag } from "../../lib/schema.ts"
import { toWire } from "../../lib/text/wire-names.ts"
import { renderEvents } from "../../reporting/views/events-view.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { followEvents, listEvents } from "../operations/list-events.ts"

const input = {
  ...listEvents.input,
  follow: flag("show new events as they come, until Ctrl+C"),
}

export const eventsTail = command({
  summary: listEvents.summary,
  fields: input,
  example: "teamwork events tail --follow",
  async run({ host, isJson, context }, { follow, ...asked }) {
    // A cursor belongs to this run, even when the next one starts meanwhile.
    const rest = follow === true ? { ...asked, ...(await resolveRun(await context(), asked)) } : asked
    const page = await listEvents.run(await context(), rest)
    if (follow !== true) return { data: page, text: (screen) => renderEvents(page.events, screen) }
    const { io } = host
    const show = (events: readonly Event[]) => {
      for (const event of events)
        io.out(isJson ? JSON.stringify(toWire(event)) : renderEvents([event], { columns: io.columns, color: io.color }))
    }
    show(page.events)
    await followEvents(await context(), { ...rest, after: page.cursor }, { onEvents: show, signal: io.interrupted })
    return { data: null, silent: true }
  },
})
