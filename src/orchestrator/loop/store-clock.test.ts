// Whoever leads may have another clock than the store, by which everything is decided.
import { expect, it } from "bun:test"
import { LIMITS, NOW } from "../../../test/support/engine.ts"
import { parseWorkerId } from "../../kernel/ids.ts"
import { emptyHistory } from "../../reporting/history.ts"
import type { Worker } from "../../workers/worker.ts"
import type { OrchestratorOptions, OrchestratorPorts } from "./engine-ports.ts"
import { makeWorkerPool } from "./engine-workers.ts"
import { makeLongActions } from "./long-actions.ts"

const HOUR_MS = 3_600_000
const OPTIONS = { project: "shop", team: "main", limits: LIMITS } as OrchestratorOptions

it("tries again what failed after a wait by the store's clock", async () => {
  const long = makeLongActions(portsAt(NOW + HOUR_MS), OPTIONS, { now: () => NOW, onEnd: () => undefined })
  long.begin({ type: "verify-wave", wave: 1 })
  await long.ended
  expect(long.facts().troubles).toEqual([
    { action: "verify-wave", reason: "no space left", times: 1, notBefore: NOW + 1000 },
  ])
})

it("waits for a process that an orchestrator before it started, by the store's clock", () => {
  const look = (here: number, startedAt: number) =>
    makeWorkerPool(portsAt(here), OPTIONS).look({ workers: [spawning(startedAt)], now: NOW }, emptyHistory())
  expect(look(NOW + HOUR_MS, NOW - 1000)).toMatchObject([{ isRunning: true }])
  expect(look(NOW - HOUR_MS, NOW - 16_000)).toMatchObject([{ isRunning: false }])
})

/** What the two ask for, on a machine with this time. */
function portsAt(now: number): OrchestratorPorts {
  const fail = () => Promise.reject(new Error("no space left"))
  const [gates, context, merging] = [{ verifyWave: fail }, { store: { read: fail } }, { merges: {} }]
  const self = { machine: "here" }
  const ports = { clock: { now: () => now }, context, merging, gates, self, say: () => undefined }
  return ports as unknown as OrchestratorPorts
}

function spawning(at: number): Worker {
  const lastHeartbeat = new Date(at).toISOString()
  return { id: parseWorkerId("w1"), role: "worker", status: "spawning", currentTask: null, lastHeartbeat } as Worker
}
