import type { TeamName } from "../../kernel/team.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { type Findings, statusOf } from "../gates/findings.ts"
import { readAllowedTests } from "../operations/read-allowed-tests.ts"
import type { VerdictStatus } from "../verdict.ts"
import { checkProject, planProject } from "./check-project.ts"
import { chooseState } from "./choose-state.ts"
import { findRunBase } from "./find-run-base.ts"
import type { Verifier } from "./verifier.ts"

export interface TestedCommit extends Findings {
  /** `skipped`: nothing to run. */
  readonly status: VerdictStatus
  /** The end of the output of failing commands. */
  readonly output: string
  /** Failed and then passed on the same files. */
  readonly flaky: readonly string[]
}

/** For merges. Records nothing. */
export async function testCommit(verifier: Verifier, team: TeamName, commit: string): Promise<TestedCommit> {
  const name = await resolveRun(verifier.context, team)
  const state = await chooseState(verifier.repository, { commit })
  const base = await findRunBase(verifier.repository, name, { commit: state.commit })
  const asked = () => readAllowedTests(verifier.context, name, "merged")
  const findings = await checkProject(verifier, state, { plan: await planProject(verifier, state), base, asked })
  const hasRun = findings.checks.some((check) => check.status !== "skipped")
  const failed = findings.checks.filter((check) => check.status === "failed")
  const output = failed.map((check) => check.evidence ?? "").join("\n\n")
  const flaky = findings.checks.filter(
    ({ baseline, status }) => status === "passed" && (baseline?.flaky ?? null) !== null,
  )
  return {
    ...findings,
    status: hasRun ? statusOf(findings) : "skipped",
    output,
    flaky: flaky.map((check) => `${check.name} failed and then passed on ${commit}`),
  }
}
