import { branchRef, integrationBranch, integrationRef } from "../../kernel/branches.ts"
import type { RunName } from "../../kernel/team.ts"
import { type Baseline, type Standing, standingOf, standingWithout } from "../baseline.ts"
import { GATE_KINDS } from "../gates/gate-command.ts"
import { findResult } from "../gates/run-command.ts"
import { runOnBase } from "./base-standings.ts"
import { type ChosenState, getCommit } from "./choose-state.ts"
import { findRunBase } from "./find-run-base.ts"
import { listCommands } from "./run-commands.ts"
import type { Verifier } from "./verifier.ts"
import { freshPlace, withSite } from "./with-site.ts"

export interface BaseRequest {
  readonly commit: string
  readonly onRun?: (line: string) => void
}

/** Runs all gate commands before any work, in a checkout like those of gates. */
export async function judgeBase(verifier: Verifier, { commit, onRun }: BaseRequest): Promise<Baseline> {
  const state: ChosenState = { ...(await getCommit(verifier.repository, commit)), isHere: false, uncommitted: [] }
  const commands = await listCommands(verifier, state, GATE_KINDS)
  const gates: Standing[] = []
  await withSite(verifier, state, async (site) => {
    for (const kind of GATE_KINDS) {
      const ofKind = commands.filter((command) => command.kind === kind)
      if (ofKind.length === 0) gates.push(standingWithout(kind, verifier.settings.kinds[kind].isEnabled))
      for (const command of ofKind) {
        if (verifier.runner.again || findResult(verifier.runner, site, command) === undefined) onRun?.(command.line)
        gates.push(standingOf(await runOnBase(verifier, site, command)))
      }
    }
    return false
  })
  return { commit: state.commit, tree: state.tree, gates }
}

/** Stored results, and the commands without one. */
export async function findKnownBase(
  verifier: Verifier,
  commit: string,
): Promise<{ readonly known: readonly Standing[]; readonly unknown: readonly string[] }> {
  const state: ChosenState = { ...(await getCommit(verifier.repository, commit)), isHere: false, uncommitted: [] }
  const commands = await listCommands(verifier, state, GATE_KINDS)
  const place = await freshPlace(verifier.repository, state.tree)
  const found = commands.map((command) => findResult(verifier.runner, place, command))
  return {
    known: found.flatMap((result) => (result === undefined ? [] : standingOf(result))),
    unknown: commands.filter((_, at) => found[at] === undefined).map(({ line }) => line),
  }
}

/** The target, unless merged work waits for delivery. */
export async function findStart(
  { repository }: Pick<Verifier, "repository">,
  name: RunName,
  target?: string,
): Promise<string> {
  const named = target === undefined ? integrationRef(name, "target") : branchRef(target)
  const head = (await repository.find(named)) ?? (await getCommit(repository, "HEAD"))
  const tip = await repository.find(branchRef(integrationBranch(name)))
  if (tip === undefined || (await repository.contains(head.commit, tip.commit))) return head.commit
  return (await findRunBase(repository, name, { commit: tip.commit, otherwise: head.commit })) ?? head.commit
}
