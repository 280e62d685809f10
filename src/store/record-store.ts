import type { TaskId } from "../kernel/ids.ts"
import type { RecordKind, TeamRecord } from "../kernel/record.ts"

export interface RecordStore {
  /** Takes the next number of the kind; the team must be locked. */
  add(key: number, record: Omit<TeamRecord, "number" | "createdAt" | "updatedAt">): Promise<TeamRecord>
  find(key: number, kind: RecordKind, number: number): Promise<TeamRecord | undefined>
  list(
    key: number,
    /** `taskId` null: those about the team as a whole. */
    filter?: { readonly kind?: RecordKind; readonly status?: string; readonly taskId?: TaskId | null },
  ): Promise<TeamRecord[]>
  /** Only while it has the status that is named: `undefined` when somebody was faster. */
  change(
    key: number,
    which: Pick<TeamRecord, "kind" | "number" | "status">,
    to: Pick<TeamRecord, "status"> & Partial<Pick<TeamRecord, "data">>,
  ): Promise<TeamRecord | undefined>
  remove(key: number, kind: RecordKind, number: number): Promise<void>
}
