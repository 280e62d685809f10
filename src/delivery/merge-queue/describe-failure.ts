import type { Conflict } from "../../git/port.ts"
import type { Candidate, GateResult, Outcome } from "./candidate.ts"

const MAX_CONFLICTS = 20
const MAX_HUNKS = 5
const MAX_SIDE = 1500
/** The reason is mostly at the end of the output. */
const MAX_OUTPUT = 6000

/** What the agent that fixes it must know; undefined where nothing is to fix. */
export function describeFailure(candidate: Candidate, outcome: Outcome): string | undefined {
  const why = reasonOf(outcome)
  if (why === undefined) return undefined
  const { taskId, worker, title, base, head } = candidate
  const tasks = [taskId, ...candidate.alsoFor.map((other) => other.taskId)].join(", ")
  return [
    `The work of task ${tasks}${worker === null ? "" : ` by ${worker}`} ("${title}") is not merged.`,
    why,
    "",
    // By commit id: the fixing worker's repository has none of our refs.
    `Its commits are ${base}..${head}. Start from the newest state of the integration branch, where a worker's folder is already, and bring the work in with:`,
    "",
    `    git merge ${head}`,
    "",
    "mend what is told above, and commit. Only the files of that task may change.",
  ].join("\n")
}

function reasonOf(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case "conflict": {
      const others = outcome.with.length === 0 ? "" : `, changed by task ${outcome.with.join(", ")} as well`
      const shown = outcome.conflicts.slice(0, MAX_CONFLICTS).map(describeConflict)
      const more = outcome.conflicts.length - shown.length
      return [
        `It conflicts with what is merged already${others}:`,
        ...shown,
        ...(more > 0 ? [`and ${more} more`] : []),
      ].join("\n\n")
    }
    case "guilty": {
      const others = outcome.with.length === 0 ? "" : `, together with task ${outcome.with.join(", ")},`
      return `The merged files pass the gate without it and fail with it${others}\n\n${describeGate(outcome.gate)}`
    }
    case "refused":
      return `It was refused:\n\n${outcome.notices.map((notice) => `- ${notice.message}`).join("\n")}`
    default:
      return undefined
  }
}

function describeConflict({ path, message, hunks }: Conflict): string {
  const parts = hunks
    .slice(0, MAX_HUNKS)
    .map(
      ({ line, ours, theirs }) =>
        `line ${line}, merged already:\n${quote(ours.slice(0, MAX_SIDE))}\nline ${line}, of this task:\n${quote(theirs.slice(0, MAX_SIDE))}`,
    )
  return [`${JSON.stringify(path)}: ${message}`, ...parts].join("\n")
}

function describeGate({ checks, issues, output }: GateResult): string {
  const failed = checks.filter((check) => check.status === "failed").map((check) => `- check ${check.name} failed`)
  const lines = [...failed, ...issues.map((issue) => `- ${issue}`)]
  const tail = output.length > MAX_OUTPUT ? `...${output.slice(-MAX_OUTPUT)}` : output
  return [...lines, ...(tail.trim() === "" ? [] : ["", "The end of the output:", quote(tail)])].join("\n")
}

function quote(text: string): string {
  return text.replaceAll(/^/gm, "    ")
}
