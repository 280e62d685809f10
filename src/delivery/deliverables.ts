import { WORK_TYPES, type WorkType, workTypeOf } from "../planning/complexity/work-type.ts"
import type { Responsibility } from "../planning/roles/roles.ts"
import type { Task } from "../tasks/task.ts"

/** What one task brought: its result in words, and files. */
export interface DeliveredTask extends Pick<Task, "id" | "title"> {
  readonly result: string | null
  /** That it wrote and that are there still; artifacts among them. */
  readonly files: readonly string[]
}

/** All of one type of work that a team delivers. */
export interface Deliverable {
  readonly type: WorkType
  readonly tasks: readonly DeliveredTask[]
}

type Done = Pick<Task, "id" | "title" | "description" | "role" | "files" | "agentType" | "status" | "result">

/** What the roles are responsible for that were made for the team, by name. */
export type MadeRoles = ReadonlyMap<string, Responsibility>

/** What is done, by the type of work; a type of which nothing is done is left out. */
export function groupDeliverables(
  tasks: Iterable<Done>,
  { filesOf, madeRoles }: { readonly filesOf: (task: Done) => readonly string[]; readonly madeRoles: MadeRoles },
): readonly Deliverable[] {
  const done = [...tasks].filter(({ status }) => status === "resolved")
  const byType = Map.groupBy(done, (task) => workTypeOf(task, madeRoles.get(task.agentType ?? "")))
  return WORK_TYPES.flatMap((type) => {
    const own = byType.get(type)?.map((task) => ({
      id: task.id,
      title: task.title,
      result: task.result,
      files: [...new Set(filesOf(task))].toSorted(),
    }))
    return own === undefined ? [] : [{ type, tasks: own }]
  })
}

/** Every file once. */
export function listDelivered(deliverables: readonly Deliverable[]): string[] {
  return [...new Set(deliverables.flatMap(({ tasks }) => tasks.flatMap(({ files }) => files)))].toSorted()
}
