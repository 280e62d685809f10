// Holds the rules for complexity against labelled issues, and prints the figures. `--errors` lists what they get wrong in the
// set that they are tuned on; `--held-out-errors` does so for the other one, which is for after the tuning only.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { chooseTier } from "../../src/planning/complexity/complexity.ts"
import { COMPLEXITY_OF } from "../../src/planning/complexity/model-tier.ts"
import { COMPLEXITIES, type Complexity } from "../../src/tasks/task.ts"

export interface LabelledIssue {
  readonly label: Complexity
  /** Why it is complex; empty for the others. */
  readonly kind: string
  readonly title: string
  readonly body: string
}

export interface Score {
  readonly issues: number
  /** Share of the issues whose complexity is the label. */
  readonly agreement: number
  /** By label, then by what the rules say. */
  readonly matrix: Readonly<Record<Complexity, Readonly<Record<Complexity, number>>>>
  /** Complex issues that would get the smallest model. */
  readonly complexOnSmallest: number
  readonly errors: readonly string[]
}

export const SETS = ["labelled", "held-out"] as const

export function readIssues(set: (typeof SETS)[number]): LabelledIssue[] {
  const text = readFileSync(join(import.meta.dir, `${set}.txt`), "utf8")
  return text
    .split(/^=== /m)
    .slice(1)
    .map((part) => {
      const [head = "", title = "", ...body] = part.split("\n")
      const [name, kind = ""] = head.split(" ")
      const label = COMPLEXITIES.find((each) => each === name)
      if (label === undefined) throw new Error(`${set}.txt: unknown label in "=== ${head}"`)
      return { label, kind, title, body: body.join("\n").trim() }
    })
}

export function scoreIssues(issues: readonly LabelledIssue[]): Score {
  const matrix = Object.fromEntries(
    COMPLEXITIES.map((label) => [label, { simple: 0, standard: 0, complex: 0 }]),
  ) as Record<Complexity, Record<Complexity, number>>
  const errors: string[] = []
  for (const { label, kind, title, body } of issues) {
    const { tier, because } = chooseTier({ text: `${title}\n${body}` })
    const found = COMPLEXITY_OF[tier]
    matrix[label][found]++
    if (found !== label)
      errors.push(`${label}${kind === "" ? "" : ` (${kind})`}, found ${found} (${because}): ${title}`)
  }
  const agreement = (issues.length - errors.length) / issues.length
  return { issues: issues.length, agreement, matrix, complexOnSmallest: matrix.complex.simple, errors }
}

function render(set: string, { issues, agreement, matrix, complexOnSmallest }: Score): string {
  const cell = (text: string | number) => String(text).padStart(10)
  return [
    `${set}: ${issues} issues, exact agreement ${agreement.toFixed(3)}, complex on the smallest model: ${complexOnSmallest}`,
    `${"label".padEnd(12)}${COMPLEXITIES.map(cell).join("")}`,
    ...COMPLEXITIES.map(
      (label) => `${label.padEnd(12)}${COMPLEXITIES.map((found) => cell(matrix[label][found])).join("")}`,
    ),
  ].join("\n")
}

if (import.meta.main) {
  for (const set of SETS) {
    const score = scoreIssues(readIssues(set))
    console.log(render(set, score))
    const flag = set === "labelled" ? "--errors" : "--held-out-errors"
    if (process.argv.includes(flag)) console.log(score.errors.map((each) => `  ${each}`).join("\n"))
  }
}
