import { expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"

const FIRST = 1
const LAST = 301
const STATUSES = ["done", "superseded", "later"]

interface Row {
  readonly id: string
  readonly status: string
  readonly text: string
  readonly citations: readonly { file: string; name: string }[]
}

function splitRow(line: string): Row {
  const cells = line.slice(2, -2).split(" | ")
  const [id = "", , status = "", ...rest] = cells
  const text = rest.join(" | ")
  const citations = [...text.matchAll(/`([^`]+\.ts)` "([^"]+)"/g)].map(([, file = "", name = ""]) => ({ file, name }))
  return { id, status, text, citations }
}

/** What is wrong with a row; undefined when its claims hold. */
function problemWith(row: Row): string | undefined {
  if (!STATUSES.includes(row.status)) return `${row.id}: unknown status ${row.status}`
  if (row.status === "done" && row.citations.length === 0) return `${row.id} is marked done and cites no test`
  if (row.text.trim() === "") return `${row.id} says nothing`
  for (const { file, name } of row.citations) {
    if (!existsSync(file)) return `${row.id} cites ${file}, which does not exist`
    if (!readFileSync(file, "utf8").includes(name)) return `${row.id} cites "${name}", which is not in ${file}`
  }
  return undefined
}

const rows = readFileSync("docs/requirements.md", "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| R"))
  .map(splitRow)

test("every requirement has exactly one row, in order", () => {
  const expected = Array.from({ length: LAST - FIRST + 1 }, (_, index) => `R${String(index + FIRST).padStart(3, "0")}`)
  expect(rows.map((row) => row.id)).toEqual(expected)
})

test("every row marked done cites tests that exist", () => {
  expect(rows.map(problemWith).filter((problem) => problem !== undefined)).toEqual([])
})

test("a row that claims too much is found", () => {
  const wrong = [
    "| R001 | x | done | trust me |",
    '| R001 | x | done | `test/nowhere.test.ts` "x" |',
    `| R001 | x | done | \`test/requirements.test.ts\` "${["no", "such", "test"].join(" ")}" |`,
    '| R001 | x | finished | `test/requirements.test.ts` "every row" |',
    "| R001 | x | later |  |",
  ]
  expect(wrong.map((line) => problemWith(splitRow(line)) !== undefined)).toEqual(wrong.map(() => true))
})
