import type { Candidate } from "./candidate.ts"

/** The message of a merge; the last lines tell programs which attempts it stands for. */
export function mergeMessage(candidate: Candidate): string {
  const attempts = [candidate, ...candidate.alsoFor]
  const title = candidate.title.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  const trailers = attempts.flatMap(({ taskId, attempt }) => [
    `Teamwork-Task: ${taskId}`,
    `Teamwork-Attempt: ${attempt}`,
  ])
  return `Merge task ${attempts.map((each) => each.taskId).join(", ")}: ${title}\n\n${trailers.join("\n")}\n`
}
