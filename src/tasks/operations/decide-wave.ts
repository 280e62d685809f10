import { AppError } from "../../kernel/errors.ts"
import { unreachable } from "../../lib/unreachable.ts"
import { summarizeWaves, type WaveSummary } from "../../reporting/status.ts"
import { askForDraft } from "../../requests/operations/checkpoints.ts"
import type { StoredTeam, StoredWave, Tx } from "../../store/port.ts"
import type { WaveStatus } from "../wave.ts"
import { changePhase } from "./task-moves.ts"

/** Records a decision, if the tasks allow it. The team must be locked. */
export async function decideWave(
  tx: Tx,
  team: StoredTeam,
  word: { number: number; to: WaveStatus; by: string },
): Promise<void> {
  const waves = await tx.waves.list(team.key)
  const summaries = summarizeWaves(waves, await tx.tasks.progress(team.key))
  const wave = waves.find((each) => each.number === word.number)
  const summary = summaries.find((each) => each.id === word.number)
  if (wave === undefined || summary === undefined) throw waveNotFound(word.number, waves.length)
  if (word.to === summary.status) return
  assertWord(summary, summaries, word.to)
  const now = await tx.now()
  const startedAt = wave.startedAt === null ? now : Date.parse(wave.startedAt)
  const verified = word.to === "verified"
  const verdict = verified ? "verified" : word.to === "failed" ? "failed" : null
  await tx.waves.put(team.key, { number: wave.number, verdict, startedAt, verifiedAt: verified ? now : null })
  await tx.events.append(team.key, word.by, {
    type: "wave.updated",
    data: { wave: wave.number, from: summary.status, to: word.to },
  })
  if (!verified) return
  await openNext(tx, team, waves, wave.number, word.by)
  await askForDraft(tx, team, word.by)
}

export function waveNotFound(number: number, total: number): AppError {
  const hint = total === 0 ? "" : `; there are waves 1 to ${total}`
  return new AppError(
    "wave.not_found",
    `wave ${number} does not exist${hint}`,
    { wave: number },
    { remedy: total === 0 ? { operation: "wave calculate", to: "calculate waves first with" } : [] },
  )
}

function assertWord(wave: WaveSummary, waves: readonly WaveSummary[], to: WaveStatus): void {
  const refuse = (why: string) => {
    throw new AppError("wave.transition", `wave ${wave.id} cannot become ${to}: ${why}`, {
      wave: wave.id,
      from: wave.status,
      to,
    })
  }
  const left = wave.total - wave.done
  const open = waves.find((each) => each.id < wave.id && each.status !== "verified")
  if (wave.status === "verified") refuse("it is verified; reopen one of its tasks to work on it again")
  if (open !== undefined) refuse(`wave ${open.id} is ${open.status} and comes first`)
  switch (to) {
    case "verified":
      if (left > 0) refuse(`${left} of its ${wave.total} tasks are not resolved`)
      return
    case "failed":
      return
    case "in_progress":
      if (wave.status !== "failed") refuse(`it is ${wave.status}; that follows from its tasks`)
      return
    case "planning":
    case "completed":
      refuse(`that follows from its tasks (${wave.done} of ${wave.total} resolved)`)
      return
    default:
      unreachable(to)
  }
}

/** After the last wave comes the final check. */
async function openNext(
  tx: Tx,
  team: StoredTeam,
  waves: readonly StoredWave[],
  verified: number,
  by: string,
): Promise<void> {
  const next = waves.find((wave) => wave.number !== verified && wave.verdict !== "verified")
  if (next === undefined) return changePhase(tx, team, { to: "VERIFICATION", by })
  if (next.startedAt !== null) return
  const { number, verdict } = next
  await tx.waves.put(team.key, { number, verdict, startedAt: await tx.now(), verifiedAt: null })
}
