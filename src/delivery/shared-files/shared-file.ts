/** One value that two tasks changed in different ways. */
export interface Undecided {
  /** Where in the file, such as `dependencies.dayjs`; empty when it is the file as a whole. */
  readonly key: string
  /** As they stand in the files; null where the entry is not there. */
  readonly base: string | null
  readonly ours: string | null
  readonly theirs: string | null
  /** What else a person should know, such as why a tool failed. */
  readonly note?: string
}

/** A file that was merged by a rule, and in words how. */
export interface MergedFile {
  readonly path: string
  readonly how: string
}

/** How a union of additions is told to people, and known again: whoever reviews the work should look at it. */
export const UNITED = "holds what both sides added, one below the other"

/** The same file in three states: where both began, as merged so far, and as the task left it. */
export interface Sides {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

/** Which side a person chose; undefined while there is no answer. */
export type Decide = (undecided: Undecided) => "ours" | "theirs" | undefined

/** The merged text, or what must be asked first. */
export type TextMerge = { readonly text: string } | { readonly undecided: readonly Undecided[] }

/** Undefined where the rule cannot tell, so that the usual way with a conflict is taken. */
export type MergeRule = (sides: Sides, decide: Decide) => TextMerge | undefined
