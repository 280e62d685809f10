import type { StoredTeam, Tx } from "../../store/port.ts"
import { layerTasks } from "../layers.ts"

/**
 * Verified waves keep their number and tasks; the others come after them, and a failed one is open again. Returns
 * the number of waves. The team must be locked.
 */
export async function replanWaves(tx: Tx, team: StoredTeam, by: string): Promise<number> {
  const waves = await tx.waves.list(team.key)
  const verified = waves.filter((wave) => wave.verdict === "verified")
  const done = verified.at(-1)?.number ?? 0
  const graph = await tx.tasks.graph(team.key)
  const { height } = layerTasks(graph) // the whole graph: a circle or missing need is found wherever it is
  const fixed = new Set(graph.filter((node) => node.wave !== null && node.wave <= done).map((node) => node.id))
  const rest = graph.filter((node) => !fixed.has(node.id))
  const { layers } = layerTasks(
    rest.map((node) => ({ id: node.id, blockedBy: node.blockedBy.filter((need) => !fixed.has(need)) })),
  )
  const places = layers.flatMap((ids, index) =>
    ids.map((id) => ({ id, wave: done + index + 1, height: height.get(id) ?? 0 })),
  )
  await tx.tasks.setWaves(team.key, places)
  await tx.waves.dropAfter(team.key, done)
  const now = await tx.now()
  for (let number = done + 1; number <= done + layers.length; number++) {
    const before = waves.find((wave) => wave.number === number)
    const startedAt = before?.startedAt ? Date.parse(before.startedAt) : number === done + 1 ? now : null
    await tx.waves.put(team.key, { number, verdict: null, startedAt, verifiedAt: null })
  }
  const total = done + layers.length
  await tx.events.append(team.key, by, { type: "waves.calculated", data: { total } })
  for (const wave of waves.filter((each) => each.verdict === "failed" && each.number <= total)) {
    const data = { wave: wave.number, from: "failed", to: "in_progress" } as const
    await tx.events.append(team.key, by, { type: "wave.updated", data })
  }
  return total
}
