import type { OutFile } from "../../files/own/folder.ts"
import { manyLines, oneLine, type Screen, table } from "../../lib/text/table.ts"
import { type Deliverable, type DeliveredTask, listDelivered } from "../deliverables.ts"

export const INDEX = "DELIVERABLES.md"

export function renderDeliverables(deliverables: readonly Deliverable[], screen: Screen): string {
  if (deliverables.length === 0) return "Nothing is done yet"
  const columns = [{ title: "TYPE" }, { title: "TASK" }, { title: "TITLE", flexible: true }, { title: "FILES" }]
  const rows = deliverables.flatMap(({ type, tasks }) =>
    tasks.map(({ id, title, files }) => [type, id, title, String(files.length)]),
  )
  return table(columns, rows, screen)
}

/** Undefined for a deleted or binary file. */
export type TextOf = (path: string) => string | undefined

export function deliverableFiles(goal: string, deliverables: readonly Deliverable[], textOf: TextOf): OutFile[] {
  const made = deliverables.flatMap((deliverable) => FORMS[deliverable.type](goal, deliverable, textOf))
  const lines = deliverables.map(({ type, tasks }) => {
    const files = listDelivered([{ type, tasks }]).length
    return `- [${type}](${MAIN_FILE[type]}): ${plural(tasks.length, "task")}, ${plural(files, "file")}`
  })
  return [{ path: INDEX, content: page([`# ${heading(goal)}`, ...quote(goal), lines.join("\n")]) }, ...made]
}

const MAIN_FILE = {
  code: "code/README.md",
  document: "document/DOCUMENT.md",
  research: "research/SYNTHESIS.md",
  design: "design/SPECIFICATION.md",
} as const satisfies Record<Deliverable["type"], string>

type Form = (goal: string, deliverable: Deliverable, textOf: TextOf) => OutFile[]

const FORMS: Readonly<Record<Deliverable["type"], Form>> = { code, document, research, design }

/** Sources at their paths, and a page that says what each task changed. */
function code(goal: string, deliverable: Deliverable, textOf: TextOf): OutFile[] {
  const parts = deliverable.tasks.map((task) => page([`## ${taskTitle(task)}`, result(task), fileList(task, textOf)]))
  const text = page([`# ${heading(goal)}`, "What was built. The sources lie in [files](files).", ...parts])
  return [{ path: MAIN_FILE.code, content: text }, ...copies("code/files", deliverable, textOf, ["package.json"])]
}

/** The pages of all tasks in one document with a table of contents. */
function document(goal: string, deliverable: Deliverable, textOf: TextOf): OutFile[] {
  const parts = deliverable.tasks.map((task, index) => {
    const texts = pagesOf(deliverable.tasks, index, textOf)
    const body = texts.length > 0 ? texts.map((text) => lower(text, 2)) : [result(task)]
    return { title: taskTitle(task), text: body.join("\n\n") }
  })
  const contents = parts.map(({ title }, index) => `${index + 1}. [${title}](#part-${index + 1})`).join("\n")
  const sections = parts.map(({ title, text }, index) =>
    page([`<a id="part-${index + 1}"></a>`, `## ${index + 1}. ${title}`, text]),
  )
  return [
    {
      path: MAIN_FILE.document,
      content: page([`# ${heading(goal)}`, "## Contents", contents, ...sections]),
    },
  ]
}

/** The findings, first in short and then in full. */
function research(goal: string, { tasks }: Deliverable, textOf: TextOf): OutFile[] {
  const summary = tasks.map((task) => `- **${taskTitle(task)}:** ${firstSentence(task.result)}`).join("\n")
  const findings = tasks.map((task, index) => {
    const texts = pagesOf(tasks, index, textOf)
    return page([`### ${taskTitle(task)}`, result(task), ...texts.map((text) => lower(text, 3))])
  })
  return [
    {
      path: MAIN_FILE.research,
      content: page([`# ${heading(goal)}`, "## Executive summary", summary, "## Findings", ...findings]),
    },
  ]
}

/** The files of the design, and a page that explains them. */
function design(goal: string, deliverable: Deliverable, textOf: TextOf): OutFile[] {
  const parts = deliverable.tasks.map((task) => page([`## ${taskTitle(task)}`, result(task), fileList(task, textOf)]))
  const text = page([
    `# ${heading(goal)}`,
    "The specification of the design. Its files lie in [files](files).",
    ...parts,
  ])
  return [{ path: MAIN_FILE.design, content: text }, ...copies("design/files", deliverable, textOf)]
}

function copies(folder: string, { type, tasks }: Deliverable, textOf: TextOf, more: readonly string[] = []): OutFile[] {
  return [...new Set([...more, ...listDelivered([{ type, tasks }])])].flatMap((path) => {
    const content = textOf(path)
    return content === undefined ? [] : [{ path: `${folder}/${path}`, content }]
  })
}

function fileList({ files }: DeliveredTask, textOf: TextOf): string {
  const lines = files.map(
    (path) => `- \`${oneLine(path)}\`${textOf(path) === undefined ? " (not copied: see the repository)" : ""}`,
  )
  return lines.join("\n")
}

function taskTitle({ id, title }: DeliveredTask): string {
  return oneLine(`${title} (${id})`)
}

function result({ result }: DeliveredTask): string {
  return result === null || result.trim() === "" ? "No result was written down." : manyLines(result).trim()
}

function firstSentence(text: string | null): string {
  const [line = ""] = manyLines(text ?? "")
    .trim()
    .split("\n")
  const [sentence = ""] = /^.*?[.!?](?=\s|$)/.exec(line) ?? [line]
  return sentence === "" ? "no result was written down" : sentence
}

const isPage = (path: string) => /\.(?:md|markdown|txt|rst|adoc)$/i.test(path)

/** A text that several tasks wrote belongs to the last one. */
function pagesOf(tasks: readonly DeliveredTask[], index: number, textOf: TextOf): string[] {
  const later = new Set(tasks.slice(index + 1).flatMap(({ files }) => files))
  const own = tasks[index]?.files.filter((path) => isPage(path) && !later.has(path)) ?? []
  return own.flatMap((path) => textOf(path) ?? [])
}

/** Moves headings down, outside of code blocks. */
function lower(text: string, steps: number): string {
  let isCode = false
  return text
    .trim()
    .split("\n")
    .map((line) => {
      if (/^\s*(?:`{3,}|~{3,})/.test(line)) isCode = !isCode
      const [marks = ""] = isCode ? [] : (/^#{1,6}(?=\s)/.exec(line) ?? [])
      return marks === "" ? line : `${"#".repeat(Math.min(6, marks.length + steps))}${line.slice(marks.length)}`
    })
    .join("\n")
}

function heading(goal: string): string {
  return oneLine(goal.trim().split("\n", 1)[0] ?? "") || "Deliverables"
}

function quote(goal: string): string[] {
  const rest = goal.trim().split("\n").slice(1).join("\n").trim()
  return rest === "" ? [] : [rest.replaceAll(/^/gm, "> ")]
}

function page(parts: readonly string[]): string {
  return `${parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n")}\n`
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`
}
