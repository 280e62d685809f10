import { AppError } from "../../kernel/errors.ts"
import { type Comparison, compareResults } from "../compare-results.ts"
import type { AskedTests } from "../failing-test.ts"
import type { GateCommand } from "../gates/gate-command.ts"
import { failSetup, type JudgedCommand, skipTooSlow } from "../gates/judged-command.ts"
import { type CommandResult, runCommand, type Site } from "../gates/run-command.ts"
import { type BaseStandings, openBaseStandings, standing } from "./base-standings.ts"
import type { ChosenState } from "./choose-state.ts"
import type { Verifier } from "./verifier.ts"
import { withSite } from "./with-site.ts"

export interface JudgeRequest {
  readonly commands: readonly GateCommand[]
  readonly base: string | undefined
  /** Failing tests that tasks had to add. Called only after a failure. */
  readonly asked?: () => Promise<AskedTests>
  /** Run passed commands once more. */
  readonly isSecondLook?: boolean
  /** Finds more of them in a new failure. */
  readonly findAsked?: (now: CommandResult, base: CommandResult | undefined) => readonly string[]
}

export interface CommandJudgement {
  readonly judged: readonly JudgedCommand[]
  /** Files of this checkout that the commands changed. */
  readonly leftBehind: readonly string[]
}

/** A new failure runs twice, to tell flaky from broken. */
export async function judgeCommands(
  verifier: Verifier,
  state: ChosenState,
  request: JudgeRequest,
): Promise<CommandJudgement> {
  if (request.commands.length === 0) return { judged: [], leftBehind: [] }
  const standings = openBaseStandings(verifier, request.base)
  const judged: JudgedCommand[] = []
  const leftBehind = await withSite(verifier, state, async (site) => {
    for (const command of request.commands)
      judged.push(
        await judgeCommand({ verifier, site, standings, request }, command).catch(async (error) => {
          if (!(error instanceof AppError && error.code === "workspace.setup_failed")) throw error
          return failSetup(command, error, await standings.isReady(command))
        }),
      )
    return judged.some(({ result }) => result?.isCached === false)
  })
  return { judged, leftBehind }
}

interface Judging {
  readonly verifier: Verifier
  readonly site: Site
  readonly standings: BaseStandings
  readonly request: JudgeRequest
}

async function judgeCommand(judging: Judging, command: GateCommand): Promise<JudgedCommand> {
  const { verifier, site, standings, request } = judging
  const isNamed = command.kind === "accept"
  const before = isNamed ? undefined : standing(await standings.known(command))
  if (before?.state === "too_slow") return skipTooSlow(command, before)
  const known = await runCommand(verifier.runner, site, command)
  const isRepeated = request.isSecondLook === true && known.hasPassed && known.isCached
  const first = isRepeated ? await runCommand({ ...verifier.runner, again: true }, site, command) : known
  const compared = await compare(judging, first)
  if (compared.status !== "failed" || (first.runs ?? 1) > 1) return { command, result: first, comparison: compared }
  const second = await runCommand({ ...verifier.runner, again: false }, site, command, { twice: true })
  return { command, result: second, comparison: await compare(judging, second) }
}

async function compare({ standings, request }: Judging, result: CommandResult): Promise<Comparison> {
  const { command } = result
  const isNamed = command.kind === "accept"
  // A command of a task must pass anyway, unless its program is missing.
  const isNeeded = isNamed ? result.missing !== undefined : !result.hasPassed || result.ranNoTest === true
  const before = isNeeded ? await standings.judge(command) : isNamed ? undefined : await standings.known(command)
  const asked = new Set<string>()
  if (!result.hasPassed && !isNamed) {
    const known = (await request.asked?.())?.get(command.line) ?? []
    for (const name of [...known, ...(request.findAsked?.(result, before) ?? [])]) asked.add(name)
  }
  return compareResults(result, { base: standing(before), isNamed, asked })
}
