import { diffLines } from "./diff-texts.ts"
import { type Group, groupHunks, sideOf } from "./merge-lines.ts"
import type { MergeRule } from "./shared-file.ts"

/**
 * Takes both sides' additions at the same place: merged lines first, then the task's. Undefined where a side
 * changed or removed a line there, since a person must know why.
 */
export const uniteAdditions: MergeRule = (sides) => {
  // A new or binary file has no additions.
  if (sides.base === "" || [sides.ours, sides.theirs].some((text) => text.includes("\0"))) return undefined
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(toLines) as [string[], string[], string[]]
  const [mine, other] = [diffLines(base, ours), diffLines(base, theirs)]
  if (mine === undefined || other === undefined) return undefined
  const merged: string[] = []
  let at = 0
  for (const group of groupHunks(mine, other)) {
    const lines = uniteGroup(group, base)
    if (lines === undefined) return undefined
    merged.push(...base.slice(at, group.start), ...lines)
    at = group.end
  }
  return { text: [...merged, ...base.slice(at)].join("") }
}

function uniteGroup(group: Group, base: readonly string[]): readonly string[] | undefined {
  const [ours, theirs] = [sideOf(group, base, group.ours), sideOf(group, base, group.theirs)]
  if (group.theirs.length === 0 || ours.join("") === theirs.join("")) return ours
  if (group.ours.length === 0) return theirs
  return group.start === group.end ? [...ours, ...theirs] : undefined
}

/** Lines keep their line ends, so that a last line without one counts as changed when text follows it. */
function toLines(text: string): string[] {
  return text.split(/(?<=\n)/)
}
