import type { TaskId } from "../kernel/ids.ts"
import type { RecordKind, TeamRecord } from "../kernel/record.ts"

export interface RecordStore {
  /** Gives it the next number of its kind. The team must be locked. */
  add(key: number, record: Omit<TeamRecord, "number" | "createdAt" | "updatedAt">): Promise<TeamRecord>
  find(key: number, kind: RecordKind, number: number): Promise<TeamRecord | undefined>
  list(
    key: number,
    /** `taskId` null: records about the team as a whole. */
    filter?: { readonly kind?: RecordKind; readonly status?: string; readonly taskId?: TaskId | null },
  ): Promise<TeamRecord[]>
  /** Only while it still has the given status; `undefined` when another change came first. */
  change(
    key: number,
    which: Pick<TeamRecord, "kind" | "number" | "status">,
    to: Pick<TeamRecord, "status"> & Partial<Pick<TeamRecord, "data">>,
  ): Promise<TeamRecord | undefined>
  remove(key: number, kind: RecordKind, number: number): Promise<void>
}
