import { type Findings, statusOf } from "../gates/findings.ts"
import type { VerdictStatus } from "../verdict.ts"
import { chooseState } from "./choose-state.ts"
import { checkProject, planProject } from "./run-commands.ts"
import type { Verifier } from "./verifier.ts"

export interface TestedCommit extends Findings {
  /** `skipped`: there is nothing to run. */
  readonly status: VerdictStatus
  /** The end of what failing commands printed. */
  readonly output: string
}

/** Build, lint and tests on the files of a commit, and nothing else: for merges. Records nothing. */
export async function testCommit(verifier: Verifier, commit: string): Promise<TestedCommit> {
  const state = await chooseState(verifier.repository, { commit })
  const findings = await checkProject(verifier, state, await planProject(verifier, state))
  const hasRun = findings.checks.some((check) => check.status !== "skipped")
  const failed = findings.checks.filter((check) => check.status === "failed")
  const output = failed.map((check) => check.evidence ?? "").join("\n\n")
  return { ...findings, status: hasRun ? statusOf(findings) : "skipped", output }
}
