import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { addTask } from "../../tasks/operations/create-task.ts"
import { lockTeam } from "../../tasks/operations/lookup.ts"
import { GENERIC_ROLE, NO_WORK, type Task } from "../../tasks/task.ts"
import type { Verdict } from "../verdict.ts"

export interface GateFix extends TeamName {
  readonly scope: "wave" | "final"
  /** Null for the final gate. */
  readonly wave: number | null
}

/** Creates one fix task per failure of the gate. Undefined if the gate did not fail, or the task exists. */
export async function makeGateFix({ store, settings }: Context, request: GateFix): Promise<Task | undefined> {
  return store.write(async (tx) => {
    const team = await lockTeam(tx, request)
    const subject = request.wave === null ? null : String(request.wave)
    const failed = (await tx.verdicts.list(team.key)).filter(
      (verdict) => verdict.scope === request.scope && verdict.subject === subject && verdict.status === "failed",
    )
    const verdict = failed.at(-1)
    if (verdict === undefined) return undefined
    const place = subject === null ? "final" : `wave-${subject}`
    const id = `mend-${place}-${failed.length}` as TaskId
    if ((await tx.tasks.find(team.key, id)) !== undefined) return undefined
    const what = subject === null ? "the final gate" : `the gate of wave ${subject}`
    const brief = {
      title: `Fix what ${what} found`,
      description: describe(what, verdict),
      role: GENERIC_ROLE,
      complexity: "standard",
      blockedBy: [],
      acceptance: [`${what} passes`],
      checks: [],
      files: [],
      agentType: null,
      assignee: null,
      work: NO_WORK,
    } as const
    return addTask(tx, team, settings, { id, by: ENGINE, brief })
  })
}

function describe(what: string, { checks, issues, commit }: Verdict): string {
  const failed = checks.filter((check) => check.status === "failed")
  return [
    `All tasks are done and merged${commit === undefined ? "" : ` (${commit.slice(0, 10)})`}, and ${what} fails:`,
    "",
    ...issues.map((issue) => `- ${issue}`),
    ...failed.flatMap(({ name, command, evidence }) => [
      `- check ${name} failed${command === undefined ? "" : `: ${command}`}`,
      ...(evidence === undefined ? [] : [evidence.replaceAll(/^/gm, "    ")]),
    ]),
    "",
    "Fix the cause, not the check.",
  ].join("\n")
}
