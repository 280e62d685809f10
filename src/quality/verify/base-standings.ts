import { AppError } from "../../kernel/errors.ts"
import { type Standing, standingOf } from "../baseline.ts"
import { GATE_KINDS, type GateCommand } from "../gates/gate-command.ts"
import { type CommandResult, findResult, runCommand } from "../gates/run-command.ts"
import type { ChosenState } from "./choose-state.ts"
import { listCommands } from "./run-commands.ts"
import type { Verifier } from "./verifier.ts"
import { freshPlace, withSite } from "./with-site.ts"

export interface BaseStandings {
  /** The stored result; runs nothing. */
  known(command: GateCommand): Promise<CommandResult | undefined>
  /** Runs the command if there is no result. Undefined if the base cannot be judged, which counts as green. */
  judge(command: GateCommand): Promise<CommandResult | undefined>
  /** False if the base cannot be set up. */
  isReady(command: GateCommand): Promise<boolean>
}

/**
 * `base` is a commit; undefined if not known. A project command that is new since the base has no result there.
 * Results are stored by tree, so all processes and gates of a run see the same.
 */
export function openBaseStandings(verifier: Verifier, base: string | undefined): BaseStandings {
  let opened: Promise<{ state: ChosenState; commands: ReadonlySet<string> } | undefined> | undefined
  const open = async () => {
    const found = base === undefined ? undefined : await verifier.repository.find(base)
    if (found === undefined) return undefined
    const state: ChosenState = { ...found, isHere: false, uncommitted: [] }
    const commands = await listCommands(verifier, state, GATE_KINDS)
    return { state, commands: new Set(commands.map(nameOf)) }
  }
  /** Undefined if the base lacks the command. */
  const find = async (command: GateCommand) => {
    opened ??= open()
    const known = await opened
    return command.kind === "accept" || known?.commands.has(nameOf(command)) === true ? known?.state : undefined
  }
  // `--again` is about the work, not the base.
  const runner = { ...verifier.runner, again: false }
  return {
    async known(command) {
      const state = await find(command)
      return state && findResult(runner, await freshPlace(verifier.repository, state.tree), command)
    },
    async judge(command) {
      const state = await find(command)
      return state && judgeOnBase({ ...verifier, runner }, state, command)
    },
    async isReady(command) {
      const state = await find(command)
      if (state === undefined) return true
      try {
        await withSite(verifier, state, async (site) => (await site.folder()) === "")
        return true
      } catch (error) {
        if (error instanceof AppError && error.code === "workspace.setup_failed") return false
        throw error
      }
    },
  }
}

export function standing(result: CommandResult | undefined): Standing | undefined {
  return result && standingOf(result)
}

function nameOf({ kind, folder, line }: GateCommand): string {
  return JSON.stringify([kind, folder, line])
}

async function judgeOnBase(
  verifier: Verifier,
  state: ChosenState,
  command: GateCommand,
): Promise<CommandResult | undefined> {
  try {
    let result: CommandResult | undefined
    await withSite(verifier, state, async (site) => {
      result = await runOnBase(verifier, site, command)
      return false
    })
    return result
  } catch (error) {
    if (error instanceof AppError && error.code !== "gate.cancelled") return undefined
    throw error
  }
}

/** A failure runs twice, because a flaky one must not excuse later ones. A timeout runs once. */
export async function runOnBase(
  { runner }: Pick<Verifier, "runner">,
  site: Parameters<typeof runCommand>[1],
  command: GateCommand,
): Promise<CommandResult> {
  const first = await runCommand(runner, site, command)
  const isSlow = first.stopped !== undefined && first.stopped.limitMs !== null
  if (first.hasPassed || isSlow) return first
  return runCommand({ ...runner, again: false }, site, command, { twice: true })
}
