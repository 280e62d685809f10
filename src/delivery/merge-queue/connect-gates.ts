import type { Change } from "../../git/port.ts"
import type { TeamName } from "../../kernel/team.ts"
import { judgeScope } from "../../ownership/operations/ownership-facts.ts"
import type { FileChange } from "../../ownership/scope.ts"
import { scopeOf } from "../../quality/verify/scope-of.ts"
import { testCommit } from "../../quality/verify/test-commit.ts"
import type { Verifier } from "../../quality/verify/verifier.ts"
import { verifyFinal } from "../../quality/verify/verify-team.ts"
import type { Gate, Scope } from "./candidate.ts"

export interface ConnectedGates {
  readonly gate: Gate
  readonly scope: Scope
  /** Runs the final gate on a commit and records its verdict. */
  readonly finalGate: (commit: string) => Promise<void>
  /** The same, without the tasks that are not finished. */
  readonly partGate: (commit: string) => Promise<void>
}

export function connectGates(verifier: Verifier, name: TeamName): ConnectedGates {
  return {
    gate: (commit) => testCommit(verifier, name, commit),
    async scope({ taskId, alsoFor }, changes) {
      if (alsoFor.length === 0)
        return judgeScope(verifier.context, name, { task: taskId, changes: changes.flatMap(fileChanges) })
      // A commit of several tasks may change what any of them owns; report a violation in the words of the first.
      const scopes = await Promise.all(
        [taskId, ...alsoFor.map((other) => other.taskId)].map((task) => scopeOf(verifier.context, name, task)),
      )
      return changes.flatMap(fileChanges).flatMap((change) => {
        const objections = scopes.map((scope) => scope([change]))
        return objections.some((lines) => lines.length === 0) ? [] : (objections[0] ?? [])
      })
    },
    async finalGate(commit) {
      await verifyFinal(verifier, { ...name, commit })
    },
    async partGate(commit) {
      await verifyFinal(verifier, { ...name, commit, isPartial: true })
    },
  }
}

/** A rename removes one file and adds another. */
function fileChanges(change: Change): FileChange[] {
  const { path, oldPath, status, oldMode, newMode, oldId, newId, linksTo } = change
  const at = (mode: string | null) => (mode === "120000" ? "link" : mode === "160000" ? "repository" : "file")
  const target = linksTo === undefined ? {} : { target: linksTo }
  const removed: FileChange = { path: oldPath, change: "deleted", type: at(oldMode) }
  if (status === "deleted") return [removed]
  const brought: FileChange = { path, change: "added", type: at(newMode), ...target }
  if (status === "renamed") return [removed, brought]
  if (status === "added") return [brought]
  return [{ ...brought, change: oldId === newId ? "mode" : "modified" }]
}
