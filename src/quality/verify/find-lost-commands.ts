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
 * Gates run what the judged tree suggests, so work could escape them by changing that. Work that takes away the only
 * test command, which passed before, fails. Another command of the same kind, or another script behind it, is a warning.
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
      if (same.script !== command.script) found.push(warnings([tellScript(command, same)]))
      continue
    }
    const isReplaced = now.some(({ kind }) => kind === command.kind)
    const isFatal = command.kind === "test" && !isReplaced && (await standings.judge(command))?.hasPassed === true
    found.push(isFatal ? lost(command) : warnings([`${tellLost(command)}, so this gate did not run it`]))
  }
  return join(found)
}

function isSame(one: GateCommand, other: GateCommand): boolean {
  return one.kind === other.kind && one.folder === other.folder && one.line === other.line
}

function tellScript({ line }: GateCommand, now: GateCommand): string {
  return `this work changed what ${line} runs; it is now: ${now.script === "" ? line : now.script}`
}

function tellLost({ line }: GateCommand): string {
  return `this work removed the command ${line}`
}

function lost(command: GateCommand): Findings {
  const why = `${tellLost(command)}, which passed before, and there is no other ${command.kind} command`
  const remedy = `restore it, or name another: teamwork config set gates.${command.kind} "COMMAND"`
  const said = `${why}; ${remedy}`
  const check = { name: nameOfKind(command.kind), status: "failed", evidence: said, command: command.line } as const
  return { checks: [check], issues: [`error: ${said}`] }
}
