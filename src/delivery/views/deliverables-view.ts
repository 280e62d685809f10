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

/** The text of a file as it was delivered; undefined for one that is gone, or is no text. */
export type TextOf = (path: string) => string | undefined

/** What is handed over, each type of work in the form that people expect of it. */
export function deliverableFiles(goal: string, deliverables: readonly Deliverable[], textOf: TextOf): OutFile[] {
  const made = deliverables.flatMap((deliverable) => FORMS[deliverable.type](goal, deliverable, textOf))
  const lines = deliverables.map(({ type, tasks }) => {
    const files = listDelivered([{ type, tasks }]).length
    return `- [${type}](${MAIN_FILE[type]}): ${plural(tasks.length, "task")}, ${plural(files, "file")}`
  })
  return [{ path: INDEX, content: page([`# ${heading(goal)}`, ...quote(goal), lines.join("\n")]) }, ...made]
}

const MAIN_FILE = {
  ...{ code: "code/README.md", document: "document/DOCUMENT.md" },
  ...{ research: "research/SYNTHESIS.md", design: "design/SPECIFICATION.md" },
} as const satisfies Record<Deliverable["type"], string>

type Form = (goal: string, deliverable: Deliverable, textOf: TextOf) => OutFile[]

const FORMS: Readonly<Record<Deliverable["type"], Form>> = { code, document, research, design }

/** Sources at their own paths, with a page that says what each task changed. */
function code(goal: string, deliverable: Deliverable, textOf: TextOf): OutFile[] {
  const parts = deliverable.tasks.map((task) => page([`## ${taskTitle(task)}`, result(task), fileList(task, textOf)]))
  const text = page([`# ${heading(goal)}`, "What was built. The sources lie in [files](files).", ...parts])
  return [{ path: MAIN_FILE.code, content: text }, ...copies("code/files", deliverable, textOf, ["package.json"])]
}

/** One text: the pages of all tasks one after the other, with a table of contents. */
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

/** What was found out: in short for whoever decides, then in full. */
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

/** The files of the design, and one page that says what they are. */
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

/** The texts that a task wrote; one that several wrote stands with the last of them. */
function pagesOf(tasks: readonly DeliveredTask[], index: number, textOf: TextOf): string[] {
  const later = new Set(tasks.slice(index + 1).flatMap(({ files }) => files))
  const own = tasks[index]?.files.filter((path) => isPage(path) && !later.has(path)) ?? []
  return own.flatMap((path) => textOf(path) ?? [])
}

/** Headings some steps down, below those of the page; not in blocks of code. */
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

/** All of a goal that is longer than its heading. */
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
