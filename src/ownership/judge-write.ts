import { findWrite, type ToolCall } from "./find-write.ts"
import { type FollowLinks, findForeign, type OwnedFiles } from "./owned-files.ts"

/**
 * Why an agent may not use a tool, because it writes what is not owned; undefined when it may. Only for tools that
 * write by themselves: what a command in a shell writes is seen when it is committed.
 */
export function judgeWrite(call: ToolCall, owned: OwnedFiles, followLinks: FollowLinks): string | undefined {
  const write = findWrite(call)
  if (write === undefined) return undefined
  return "problem" in write ? write.problem : findForeign(owned, write.files, followLinks)
}
