import { checkCommands, type Findings, join, nameOfKind, notRun, skipped } from "../gates/findings.ts"
import { GATE_KINDS, type GateCommand } from "../gates/gate-command.ts"
import { warnOfLeftovers } from "../gates/task-gate.ts"
import type { ChosenState } from "./choose-state.ts"
import { findLostCommands } from "./find-lost-commands.ts"
import { type JudgeRequest, judgeCommands } from "./judge-commands.ts"
import { listCommands } from "./run-commands.ts"
import type { Verifier } from "./verifier.ts"

export type ProjectPlan = { readonly commands: readonly GateCommand[] } | { readonly whyNot: string }

export async function planProject(verifier: Verifier, state: ChosenState, whyNot?: string): Promise<ProjectPlan> {
  return whyNot === undefined ? { commands: await listCommands(verifier, state, GATE_KINDS) } : { whyNot }
}

export async function checkProject(
  verifier: Verifier,
  state: ChosenState,
  { plan, ...against }: { readonly plan: ProjectPlan } & Omit<JudgeRequest, "commands">,
): Promise<Findings> {
  const kinds = GATE_KINDS.filter((kind) => verifier.settings.kinds[kind].isEnabled)
  if ("whyNot" in plan) return join(kinds.map((kind) => skipped(nameOfKind(kind), `not run: ${plan.whyNot}`)))
  const { commands } = plan
  const { judged, leftBehind } = await judgeCommands(verifier, state, { commands, ...against })
  const missing = GATE_KINDS.filter((kind) => !commands.some((each) => each.kind === kind))
  const others = missing.map((kind) => notRun(kind, verifier.settings.kinds[kind]))
  const lost = await findLostCommands(verifier, state, against)
  return join([checkCommands(judged), ...others, lost, warnOfLeftovers(leftBehind)])
}
