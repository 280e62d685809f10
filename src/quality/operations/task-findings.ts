import type { TaskId } from "../../kernel/ids.ts"
import type { TeamName } from "../../kernel/team.ts"
import { matchesPattern } from "../../ownership/file-pattern.ts"
import type { RoleDefinition } from "../../planning/roles/roles.ts"
import type { Context } from "../../store/operation.ts"
import { isFixId } from "../../tasks/fix-task.ts"
import { getTask, lockTeam } from "../../tasks/operations/lookup.ts"
import type { Task } from "../../tasks/task.ts"
import type { Finding, NewFinding } from "../finding.ts"
import { findingOf } from "../finding-task.ts"
import { readProse } from "../read-findings.ts"
import { recordFindings } from "./record-findings.ts"

export interface TaskAnswer {
  readonly task: TaskId
  /** In the documented form. */
  readonly findings: readonly Omit<NewFinding, "task">[]
  /** Without secrets. */
  readonly answer: string
  readonly commit: string | null
  readonly agent: string | null
  readonly by: string
}

/** Reads lines of the documented form, and prose of reviewing roles. Safe to repeat. */
export async function recordTaskFindings(context: Context, name: TeamName, told: TaskAnswer): Promise<Finding[]> {
  const prose = readProse(told.answer)
  if (told.findings.length === 0 && prose.length === 0) return []
  const roles = await context.roles()
  return context.store.write(async (tx) => {
    const team = await lockTeam(tx, name)
    const task = await getTask(tx, team.key, told.task)
    const read = [...told.findings, ...(isReviewing(task, roles) ? notRepeated(prose, told.findings) : [])]
    if (read.length === 0) return []
    const tasks = await tx.tasks.list(team.key)
    const findings = read.map((finding) => ({ ...finding, task: subjectOf(finding.file, task, tasks) }))
    const { commit, agent, by } = told
    return recordFindings(tx, team, { findings, source: "task", reportedIn: task.id, commit, agent, by })
  })
}

/** Prose repeats documented findings in other words, so only a new critical one counts. */
function notRepeated<Told extends Omit<NewFinding, "task">>(
  prose: readonly Told[],
  formal: readonly Told[],
): readonly Told[] {
  if (formal.length === 0) return prose
  const isCritical = ({ severity }: Told) => severity === "critical"
  return formal.some(isCritical) ? [] : prose.filter(isCritical)
}

function isReviewing({ id, role, agentType }: Task, roles: readonly RoleDefinition[]): boolean {
  const kind = roles.find(({ name }) => name === (agentType ?? role))?.kind
  return kind === "review" || kind === "verification" || role === "review" || /^review-/.test(id)
}

/** The only owner of the file, else the task that this one follows. */
function subjectOf(file: string | null, task: Task, tasks: readonly Task[]): TaskId | null {
  const subject = ownerOf(file, task, tasks)
  const status = tasks.find(({ id }) => id === subject)?.status
  return status === "resolved" || status === "in_review" ? subject : null
}

function ownerOf(file: string | null, { id, blockedBy, work }: Task, tasks: readonly Task[]): TaskId | null {
  const owns = ({ files }: Task) => file !== null && files.some((pattern) => matchesPattern(file, pattern))
  const isFix = (task: Task) => findingOf(task.id) !== null || isFixId(task.id)
  const owners = tasks.filter((task) => task.id !== id && !isFix(task) && owns(task))
  const [owner] = owners
  if (owner !== undefined && owners.length === 1) return owner.id
  const [need] = blockedBy
  return (work.cascadeOf as TaskId | null) ?? (blockedBy.length === 1 && need !== undefined ? need : null)
}
