/** A value that two tasks changed in different ways. */
export interface Undecided {
  /** Such as `dependencies.dayjs`; empty for the whole file. */
  readonly key: string
  /** As written in the files; null where the entry is missing. */
  readonly base: string | null
  readonly ours: string | null
  readonly theirs: string | null
  /** More for the person, such as why a tool failed. */
  readonly note?: string
}

export interface MergedFile {
  readonly path: string
  readonly how: string
}

/** Marks a union of additions, which reviewers should look at. */
export const UNITED = "holds what both sides added, one below the other"

/** The file in three states: the common base, as merged so far, and as the task left it. */
export interface Sides {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

/** Undefined while a person has not answered. */
export type Decide = (undecided: Undecided) => "ours" | "theirs" | undefined

export type TextMerge = { readonly text: string } | { readonly undecided: readonly Undecided[] }

/** Undefined where the rule cannot decide; the conflict is then handled as usual. */
export type MergeRule = (sides: Sides, decide: Decide) => TextMerge | undefined
