import { type Findings, join, nameOfKind, warnings } from "../gates/findings.ts"
import { GATE_KINDS, type GateCommand, type GateKind } from "../gates/gate-command.ts"
import { openBaseStandings } from "./base-standings.ts"
import type { ChosenState } from "./choose-state.ts"
import { listCommands } from "./run-commands.ts"
import type { Verifier } from "./verifier.ts"

interface LostRequest {
  readonly base: string | undefined
  readonly kinds?: readonly GateKind[]
}

/**
 * Gates run what the judged tree suggests, so work could escape them by changing it. Removing the only test command
 * fails if it passed before; another command or script of the same kind is a warning.
 */
export async function findLostCommands(
  verifier: Verifier,
  state: ChosenState,
  { base, kinds = GATE_KINDS }: LostRequest,
): Promise<Findings> {
  const start = base === undefined ? undefined : await verifier.repository.find(base)
  if (start === undefined || start.tree === state.tree) return join([])
  const before = await listCommands(verifier, { ...start, isHere: false, uncommitted: [] }, kinds)
  const now = await listCommands(verifier, state, kinds)
  const standings = openBaseStandings(verifier, base)
  const found: Findings[] = []
  for (const command of before) {
    const same = now.find((each) => isSame(each, command))
    if (same !== undefined) {
      if (same.script !== command.script)
        found.push(warnings([`this work changed what ${command.line} runs; it is now: ${same.script || command.line}`]))
      continue
    }
    const isReplaced = now.some(({ kind }) => kind === command.kind)
    const isFatal = command.kind === "test" && !isReplaced && (await standings.judge(command))?.hasPassed === true
    const what = `this work removed the command ${command.line}`
    found.push(isFatal ? failLost(command, what) : warnings([`${what}, so this gate did not run it`]))
  }
  return join(found)
}

function isSame(one: GateCommand, other: GateCommand): boolean {
  return one.kind === other.kind && one.folder === other.folder && one.line === other.line
}

function failLost({ kind, line }: GateCommand, what: string): Findings {
  const why = `${what}, which passed before, and there is no other ${kind} command`
  const evidence = `${why}; restore it, or name another: teamwork config set gates.${kind} "COMMAND"`
  return {
    checks: [{ name: nameOfKind(kind), status: "failed", evidence, command: line }],
    issues: [`error: ${evidence}`],
  }
}
