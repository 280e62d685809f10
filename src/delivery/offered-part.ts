import type { LeftOut } from "../quality/left-out.ts"

/** What would be delivered without the tasks that are not finished. */
export interface OfferedPart {
  readonly target: string
  readonly files: readonly { readonly status: string; readonly path: string }[]
  readonly leftOut: readonly LeftOut[]
}
