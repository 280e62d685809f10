// What came of a replay: one of the three good ends, or what broke which rule.

/** The part of a verdict that a replay reads, as `teamwork verdict list --json` gives it. */
export interface VerdictFact {
  readonly scope: string
  readonly subject: string | null
  readonly status: string
  readonly checks: readonly CheckFact[]
}

interface CheckFact {
  readonly name: string
  readonly status: string
  readonly command?: string
  readonly evidence?: string
  readonly first_failure?: { readonly test?: string }
}

export interface RunFacts {
  readonly exitCode: number | null
  readonly isTimedOut: boolean
  readonly agentRuns: number
  readonly tasks: number
  /** The tree of the target branch is that of the real commit. */
  readonly isTreeEqual: boolean
  /** The checkout has no changes that the stranger did not make. */
  readonly isClean: boolean
  /** The lines that the program printed as errors. */
  readonly errors: readonly string[]
  /** The last line that it printed. */
  readonly lastLine: string
  /** A check that fails, and the test it names; with what the real commit does to the same command. */
  readonly broken?: BrokenCheck
}

export interface BrokenCheck {
  readonly task: string
  readonly command: string
  readonly test: string | undefined
  readonly isRedOnCommit: boolean
  readonly isRedOnParent: boolean
}

export interface Outcome {
  readonly isGood: boolean
  readonly text: string
}

/** More than this says that work was thrown away. */
const MOST_RUNS_PER_TASK = 1.5

export function judgeRun(facts: RunFacts): Outcome {
  const { agentRuns, tasks, errors } = facts
  if (facts.isTimedOut) return bad(`did not end in time; its last line: ${facts.lastLine}`)
  if (agentRuns > MOST_RUNS_PER_TASK * tasks) {
    return bad(`${agentRuns} agent runs for ${tasks} tasks; its last line: ${facts.lastLine}`)
  }
  if (facts.isTreeEqual) return facts.isClean ? good("delivered") : bad("delivered, but the checkout is not clean")
  if (facts.exitCode === 0)
    return bad(`says that it is done, and the tree is another; its last line: ${facts.lastLine}`)
  if (agentRuns === 0) {
    const [line, ...others] = errors
    if (line === undefined) return bad(`stopped before any run without a reason; its last line: ${facts.lastLine}`)
    return others.length === 0 ? good(`preflight: ${line}`) : bad(`stopped before any run with ${errors.length} errors`)
  }
  return judgeBroken(facts)
}

function judgeBroken({ broken, lastLine }: RunFacts): Outcome {
  if (broken === undefined) return bad(`not delivered; its last line: ${lastLine}`)
  const { task, command, test, isRedOnCommit, isRedOnParent } = broken
  if (!isRedOnCommit) return bad(`task ${task} fails at \`${command}\`, which passes on the real commit`)
  if (isRedOnParent) return bad(`task ${task} fails at \`${command}\`, which was red before`)
  if (test === undefined) return bad(`task ${task} fails at \`${command}\`, and no test is named`)
  return good(`names test: ${test}`)
}

function good(text: string): Outcome {
  return { isGood: true, text }
}

function bad(text: string): Outcome {
  return { isGood: false, text: `FAIL: ${text}` }
}

/** What the newest gate of a task, or of all the work, says no to; undefined where no command failed. */
export function findBroken(
  verdicts: readonly VerdictFact[],
  last: string,
): Pick<BrokenCheck, "task" | "command" | "test"> | undefined {
  for (const { scope, subject, status, checks } of [...verdicts].reverse()) {
    if (status !== "failed" || (scope !== "task" && scope !== "final")) continue
    const check = checks.find((each) => each.status === "failed" && each.command !== undefined)
    if (check?.command === undefined) continue
    return { task: subject ?? last, command: check.command, test: check.first_failure?.test }
  }
  return undefined
}
