import { ENGINE } from "../../kernel/actor.ts"
import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { isCoordinated } from "../../ownership/operations/coordinator.ts"
import { type Approval, toApproval } from "../../requests/approval.ts"
import { askApproval } from "../../requests/operations/ask-approval.ts"
import type { Context } from "../../store/operation.ts"
import { getTeam, lockTask, lockTeam } from "../../tasks/operations/lookup.ts"
import type { MergedFile } from "../shared-files/shared-file.ts"

interface Asked {
  readonly subject: string
  readonly question: string
}

type Answer = (
  work: { readonly taskId: TaskId; readonly attempt: number },
  asked: Asked,
) => "ours" | "theirs" | undefined

/** Answers to questions about shared files; undefined where the lead looks after these files. */
export async function readSharedAnswers({ store }: Context, name: TeamName): Promise<Answer | undefined> {
  return store.read(async (tx) => {
    const { key } = await getTeam(tx, name)
    if (!(await isCoordinated(tx, key))) return undefined
    const known = (await tx.records.list(key, { kind: "approval" })).map(toApproval).filter(isAboutShared)
    return ({ taskId, attempt }, asked) => {
      const same = known.findLast((each) => each.taskId === taskId && each.attempt === attempt && isSame(each, asked))
      return same?.status === "approved" ? "theirs" : same?.status === "rejected" ? "ours" : undefined
    }
  })
}

export interface AskedShared {
  readonly taskId: TaskId
  readonly questions: readonly (Asked & { readonly note: string })[]
}

/** Asks a person what no rule decides, once. */
export async function askAboutShared({ store }: Context, name: TeamName, asked: readonly AskedShared[]): Promise<void> {
  if (asked.length === 0) return
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    for (const { taskId, questions } of asked) {
      const task = await lockTask(tx, team.key, taskId)
      const open = await tx.records.list(team.key, { kind: "approval", status: "pending", taskId })
      const known = open.map(toApproval).filter(isAboutShared)
      for (const question of questions) {
        if (known.some((each) => each.attempt === task.attempt && isSame(each, question))) continue
        const text = question.note === "" ? question.question : `${question.question}\n${question.note}`
        await askApproval(tx, team, {
          scope: "shared-file",
          subject: question.subject,
          task,
          question: text,
          by: ENGINE,
        })
      }
    }
  })
}

/** Notes of tools may differ each time. */
function isSame(approval: Approval, { subject, question }: Asked): boolean {
  return approval.subject === subject && approval.question.startsWith(question)
}

function isAboutShared({ scope }: Approval): boolean {
  return scope === "shared-file"
}

export interface NotedMerge {
  readonly taskId: TaskId
  readonly attempt: number
  readonly commit: string
  readonly files: readonly MergedFile[]
}

/** Call this before the branch moves: after a crash, the next merge must know these commits as its own. */
export async function noteSharedMerges({ store }: Context, name: TeamName, made: readonly NotedMerge[]): Promise<void> {
  await store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    for (const { taskId, attempt, commit, files } of made) {
      const data = {
        task: taskId,
        attempt,
        commit,
        paths: files.map(({ path }) => path),
        how: files.map(({ how }) => how),
      }
      await tx.events.append(team.key, ENGINE, { type: "task.shared_files_merged", data })
    }
  })
}
