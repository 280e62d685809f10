import { detectCommands } from "../gates/detect-commands.ts"
import { checkCommands, type Findings, join, nameOfKind, notRun, skipped } from "../gates/findings.ts"
import { GATE_KINDS, type GateCommand, type GateKind, shellCommand } from "../gates/gate-command.ts"
import { type CommandResult, runCommand, type Site } from "../gates/run-command.ts"
import { warnOfLeftovers } from "../gates/task-gate.ts"
import type { ChosenState } from "./choose-state.ts"
import type { Verifier } from "./verifier.ts"

/** The project's commands of some kinds: those that the configuration names, else those that the tree suggests. */
export async function listCommands(
  { repository, settings }: Verifier,
  { tree }: ChosenState,
  kinds: readonly GateKind[],
): Promise<GateCommand[]> {
  const isDetected = kinds.some((kind) => settings.kinds[kind].isEnabled && settings.kinds[kind].lines.length === 0)
  const detected = isDetected ? await detectCommands(repository.openTree(tree)) : []
  return kinds.flatMap((kind) => {
    const { isEnabled, lines } = settings.kinds[kind]
    if (!isEnabled) return []
    return lines.length > 0
      ? lines.map((line) => shellCommand(kind, line))
      : detected.filter((each) => each.kind === kind)
  })
}

export interface CommandRun {
  readonly results: readonly CommandResult[]
  /** Files of this checkout that the commands left changed. */
  readonly leftBehind: readonly string[]
}

/** One after the other, in this checkout if it is at the state, else in one that is made when the first has to run. */
export async function runCommands(
  { repository, runner }: Verifier,
  { commit, tree, isHere }: ChosenState,
  commands: readonly GateCommand[],
): Promise<CommandRun> {
  if (commands.length === 0) return { results: [], leftBehind: [] }
  await using checkout = lazily(repository, commit)
  const site: Site = isHere
    ? {
        tree,
        inUse: (await repository.hasIgnored()) ? repository.folder : null,
        setup: { key: await repository.describeSetup(tree), isHere: await repository.isAsSetUp(tree) },
        folder: async () => repository.folder,
      }
    : {
        ...{ tree, inUse: null, folder: checkout.folder },
        setup: { key: await repository.describeSetup(tree), isHere: true },
      }
  const results: CommandResult[] = []
  for (const command of commands) results.push(await runCommand(runner, site, command))
  const hasRun = results.some((result) => !result.isCached)
  return { results, leftBehind: isHere && hasRun ? await repository.listUncommitted() : [] }
}

/** What build, lint and tests are to run on a state, or the reason that makes them pointless. */
export type ProjectPlan = { readonly commands: readonly GateCommand[] } | { readonly whyNot: string }

export async function planProject(verifier: Verifier, state: ChosenState, whyNot?: string): Promise<ProjectPlan> {
  return whyNot === undefined ? { commands: await listCommands(verifier, state, GATE_KINDS) } : { whyNot }
}

/** Build, lint and tests on a state, as planned. */
export async function checkProject(verifier: Verifier, state: ChosenState, plan: ProjectPlan): Promise<Findings> {
  const kinds = GATE_KINDS.filter((kind) => verifier.settings.kinds[kind].isEnabled)
  if ("whyNot" in plan) return join(kinds.map((kind) => skipped(nameOfKind(kind), `not run: ${plan.whyNot}`)))
  const { commands } = plan
  const { results, leftBehind } = await runCommands(verifier, state, commands)
  const missing = GATE_KINDS.filter((kind) => !commands.some((each) => each.kind === kind))
  const others = missing.map((kind) => notRun(kind, verifier.settings.kinds[kind]))
  return join([checkCommands(results), ...others, warnOfLeftovers(leftBehind)])
}

/** A checkout that is made at the first call, and given back at the end. */
function lazily(repository: Verifier["repository"], commit: string): AsyncDisposable & { folder(): Promise<string> } {
  const done = Promise.withResolvers<void>()
  let opened: Promise<string> | undefined
  let closed: Promise<void> | undefined
  let isOpen = false
  const open = async () => {
    const folder = Promise.withResolvers<string>()
    closed = repository.checkedOut(commit, (path) => {
      isOpen = true
      folder.resolve(path)
      return done.promise
    })
    closed.catch(folder.reject)
    return folder.promise
  }
  return {
    folder: () => (opened ??= open()),
    async [Symbol.asyncDispose]() {
      done.resolve()
      // Why it could not be opened, whoever asked for it was told.
      await closed?.catch((error) => (isOpen ? Promise.reject(error) : undefined))
    },
  }
}
