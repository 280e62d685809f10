import { command } from "../../app/command.ts"
import { flag } from "../../lib/schema.ts"
import { toWire } from "../../lib/text/wire-names.ts"
import type { Approval } from "../approval.ts"
import { listApprovals } from "../operations/approvals.ts"
import { renderApprovals } from "../views/approvals-view.ts"

export const approvals = command({
  summary: listApprovals.summary,
  fields: { ...listApprovals.input, watch: flag("show each as it is asked for, until Ctrl+C") },
  example: "teamwork approvals --watch",
  async run({ host, isJson, context }, { watch, ...query }) {
    const here = await context()
    if (watch !== true) {
      const listed = await listApprovals.run(here, query)
      return { data: listed, text: () => renderApprovals(listed) }
    }
    const { io } = host
    const shown = new Set<number>()
    const show = (all: readonly Approval[]) => {
      for (const approval of all.filter(({ number }) => !shown.has(number))) {
        shown.add(approval.number)
        io.out(isJson ? JSON.stringify(toWire(approval)) : `${renderApprovals([approval])}\n`)
      }
    }
    // Watch before the first read, to miss no question in between.
    await using changes = await here.store.watch()
    while (!io.interrupted.aborted) {
      show(await listApprovals.run(here, query))
      await changes.next(WAIT_MS, io.interrupted)
    }
    return { data: null, silent: true }
  },
})

const WAIT_MS = 60_000
