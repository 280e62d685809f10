import type { SetupReport } from "../../checkouts/setup-report.ts"
import { describeSetup } from "../../checkouts/views/setup-view.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Screen } from "../../lib/text/table.ts"
import { type Baseline, type Standing, summarizeStandings } from "../../quality/baseline.ts"
import { findKnownBase, findStart, judgeBase } from "../../quality/verify/judge-base.ts"
import { renderBaseline } from "../../quality/views/baseline-view.ts"
import type { Finding } from "../../teams/operations/examine-team.ts"
import type { Session } from "../command.ts"
import { verifierFor } from "./verifier-for.ts"
import { runHere } from "./workspace-tools.ts"

export interface Preflight extends Baseline {
  readonly setup: SetupReport
}

export interface PreflightRequest extends TeamName {
  readonly folder: string
  /** The branch that gets the work; default: the team's target, else the current branch. */
  readonly target?: string | undefined
  readonly commit?: string | undefined
  readonly again?: boolean | undefined
}

/** Judges the commit where a run would start. Runs no agent, and is nearly free the second time. */
export async function preflightHere(session: Session, request: PreflightRequest): Promise<Preflight> {
  const { project, team, folder, target, again } = request
  const verifier = await verifierFor(session, { folder, again: again === true })
  const commit = request.commit ?? (await findStart(verifier, await runHere(session, { project, team }), target))
  const { io } = session.host
  const onRun = (line: string) => {
    if (!session.isJsonAsked) io.err(`preflight: ${line}`)
  }
  const setup = await (await session.configured()).setup(folder)
  return { ...(await judgeBase(verifier, { commit, onRun })), setup }
}

/** For `doctor`: reports known results without running anything. */
export async function examineGates(session: Session, { project, team, folder }: PreflightRequest): Promise<Finding[]> {
  const verifier = await verifierFor(session, { folder })
  const commit = await findStart(verifier, await runHere(session, { project, team }))
  const { known, unknown } = await findKnownBase(verifier, commit)
  const fixed = { check: "gates", fixed: false } as const
  const isFine = known.every(({ state }) => state === "green")
  const told = known.length === 0 ? [] : [{ ...fixed, status: isFine ? "ok" : "warning", detail: tell(known) } as const]
  const advice = "judge them with: teamwork preflight"
  const left = { ...fixed, status: "ok", detail: `not judged yet: ${unknown.join(", ")}; ${advice}` } as const
  return unknown.length === 0 ? told : [...told, left]
}

function tell(known: readonly Standing[]): string {
  const advice = known.flatMap(({ state, line, advice }) =>
    state === "green" || advice === null ? [] : [`${line ?? ""}: ${advice}`],
  )
  return [summarizeStandings(known), ...advice].join("; ")
}

/** For people; programs get it from events and the result. */
export function showPreflight({ host, isJsonAsked }: Session, preflight: Preflight): void {
  const { io } = host
  if (!isJsonAsked) io.err(renderPreflight(preflight, { columns: io.columns, color: io.color }))
}

/** The set-up comes last: its warnings explain why a gate may fail. */
export function renderPreflight(preflight: Preflight, screen: Screen): string {
  const setup = describeSetup(preflight.setup).map(
    ({ status, detail }) => `${status === "ok" ? "Set-up" : "Warning"}: ${detail}`,
  )
  return [renderBaseline(preflight, screen), ...setup].join("\n")
}
