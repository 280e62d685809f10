import { AppError } from "../../kernel/errors.ts"
import type { RunName, TeamName } from "../../kernel/team.ts"
import type { Baseline } from "../../quality/baseline.ts"
import { findStart, judgeBase } from "../../quality/verify/judge-base.ts"
import { renderBaseline } from "../../quality/views/baseline-view.ts"
import type { Session } from "../command.ts"
import { verifierFor } from "./verifier-for.ts"

export interface PreflightRequest extends TeamName {
  /** Of the repository. */
  readonly folder: string
  /** The branch that gets the work; by default the one that the team works for, else what is checked out. */
  readonly target?: string | undefined
  /** What to judge instead of where a run would start. */
  readonly commit?: string | undefined
  readonly again?: boolean | undefined
}

/** Judges the commit that a run would start from. Costs no run of an agent, and next to nothing the second time. */
export async function preflightHere(session: Session, request: PreflightRequest): Promise<Baseline> {
  const { project, team, folder, target, again } = request
  const verifier = await verifierFor(session, { folder, again: again === true })
  const commit = request.commit ?? (await findStart(verifier, await runOf(session, { project, team }), target))
  const { io } = session.host
  const onRun = (line: string) => {
    if (!session.isJsonAsked) io.err(`preflight: ${line}`)
  }
  return judgeBase(verifier, { commit, onRun })
}

/** For people who start a run; programs find it in the events and in the answer. */
export function showPreflight({ host, isJsonAsked }: Session, baseline: Baseline): void {
  const { io } = host
  if (!isJsonAsked) io.err(renderBaseline(baseline, { columns: io.columns, color: io.color }))
}

/** The first run where there is no team yet. */
async function runOf(session: Session, name: TeamName): Promise<RunName> {
  try {
    return await resolveRun(await session.context(), name)
  } catch (error) {
    if (error instanceof AppError && error.code === "team.not_found") return { ...name, run: 1 }
    throw error
  }
}
