import { describeField, type Fields } from "../../lib/schema.ts"
import { PLAN_TASK_FIELDS, type PlanPath } from "../plan.ts"
import { type PlanDocument, type Position, START } from "./document-reader.ts"
import { readYaml } from "./yaml-document.ts"

/**
 * `#` is the goal, each `##` a task, the list right below it its fields, the rest its description. `###
 * Acceptance`, `### Checks`, `### Run` and `### Repair` hold lists or blocks of code. Settings may come first, as
 * YAML between lines of `---`.
 */
export function readMarkdown(text: string): PlanDocument {
  const lines = text.replaceAll("\r\n", "\n").split("\n")
  const front = readFrontMatter(lines)
  const places = new Map<string, Position>()
  const note = (path: PlanPath, line: number, column = 1) => places.set(JSON.stringify(path), { line, column })
  const blocks = splitBlocks(lines, front.end)
  const tasks = blocks.tasks.map((block, index) => readTask(block, { path: ["tasks", index], note }))
  const value = {
    ...front.value,
    ...(blocks.goal === "" ? {} : { goal: blocks.goal }),
    ...(tasks.length === 0 ? {} : { tasks }),
  }
  if (blocks.goalLine > 0) note(["goal"], blocks.goalLine)
  const placeOf = (path: PlanPath): Position => {
    for (let end = path.length; end > 0; end--) {
      const place = places.get(JSON.stringify(path.slice(0, end)))
      if (place !== undefined) return place
    }
    return path.length === 0 ? START : front.placeOf(path)
  }
  return { value, faults: front.faults, placeOf }
}

interface Line {
  readonly text: string
  /** From 1. */
  readonly number: number
  /** In a block of code, or a fence. */
  readonly isCode: boolean
}

interface Target {
  readonly path: PlanPath
  note(path: PlanPath, line: number, column?: number): void
}

interface FrontMatter extends Pick<PlanDocument, "faults" | "placeOf"> {
  readonly value: object
  /** Number of lines. */
  readonly end: number
}

function readFrontMatter(lines: readonly string[]): FrontMatter {
  const close = lines[0]?.trimEnd() === "---" ? lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---") : -1
  if (close === -1) return { value: {}, end: 0, faults: [], placeOf: () => START }
  // An empty line replaces the fence, to keep line numbers right.
  const { value, faults, placeOf } = readYaml(["", ...lines.slice(1, close)].join("\n"))
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value)
  return { value: isTable ? value : {}, end: close + 1, faults, placeOf }
}

function splitBlocks(lines: readonly string[], from: number) {
  const tasks: Line[][] = []
  let goal = ""
  let goalLine = 0
  const intro: string[] = []
  for (const line of markCode(lines, from)) {
    const heading = line.isCode ? null : /^(#{1,2})\s+(.*?)\s*#*\s*$/.exec(line.text)
    if (heading?.[1] === "##") tasks.push([{ ...line, text: heading[2] ?? "" }])
    else if (tasks.length > 0) tasks.at(-1)?.push(line)
    else if (heading?.[1] === "#" && goal === "") {
      goal = heading[2] ?? ""
      goalLine = line.number
    } else intro.push(line.text)
  }
  const more = intro.join("\n").trim()
  return { tasks, goal: [goal, more].filter((part) => part !== "").join("\n\n"), goalLine }
}

function markCode(lines: readonly string[], from: number): Line[] {
  let fence = ""
  return lines.slice(from).map((text, index) => {
    const number = from + index + 1
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1] ?? ""
    const isInside = fence !== ""
    if (!isInside && mark !== "") fence = mark
    else if (isInside && mark.startsWith(fence) && text.trim() === mark) fence = ""
    return { text, number, isCode: isInside || mark !== "" }
  })
}

/** `## Title`, `## 2. Title`, `## Task 2: Title`; `{#pay}` at the end gives an id. */
const HEADING = /^(?:(?:Task\s+)?(\d+)[.):]\s+)?(.*?)(?:\s*\{#([^}]*)\})?$/i

function readTask([heading, ...rest]: readonly Line[], target: Target): Record<string, unknown> {
  const { path, note } = target
  const line = heading?.number ?? 1
  const [, number, title = "", id] = HEADING.exec(heading?.text ?? "") ?? []
  note(path, line)
  const task: Record<string, unknown> = { title }
  const own = id ?? number
  if (own !== undefined) task.id = own
  const start = rest.findIndex(({ text }) => text.trim() !== "")
  const body = start === -1 ? [] : rest.slice(start)
  const count = takeFields(body, task, target)
  const sections = splitSections(body.slice(count))
  task.description = [task.description, sections.text].filter((part) => part !== undefined && part !== "").join("\n\n")
  for (const section of sections.lists) {
    note([...path, section.field], section.line)
    const before = Array.isArray(task[section.field]) ? (task[section.field] as string[]) : []
    for (const [index, item] of section.items.entries())
      note([...path, section.field, before.length + index], item.number)
    task[section.field] = [...before, ...section.items.map(({ text }) => text)]
  }
  return task
}

const FIELD = /^([-*+]\s+\**)([A-Za-z][A-Za-z _-]*?)\**:\**(?:\s+(.*))?$/
const NESTED = /^(\s+[-*+]\s+)(.*)$/

/** The list right below the heading. Returns its number of lines. */
function takeFields(body: readonly Line[], task: Record<string, unknown>, { path, note }: Target): number {
  let at = 0
  let field = ""
  for (; at < body.length; at++) {
    const { text, number, isCode } = body[at] as Line
    if (isCode) break
    const [, lead = "", name = "", value = ""] = FIELD.exec(text) ?? []
    const [, indent = "", item] = NESTED.exec(text) ?? []
    if (name !== "") {
      field = fieldNamed(name)
      note([...path, field], number, lead.length + 1)
      task[field] = readValue(field, value)
      const column = text.length - value.length + 1
      if (Array.isArray(task[field]))
        for (const index of (task[field] as string[]).keys()) note([...path, field, index], number, column)
    } else if (item !== undefined && field !== "") {
      const items = Array.isArray(task[field]) ? (task[field] as string[]) : []
      note([...path, field, items.length], number, indent.length + 1)
      task[field] = [...items, unquote(item)]
    } else break
  }
  return at
}

const FIELDS: Fields = PLAN_TASK_FIELDS

/** `Agent type` is agentType. Unknown names stay, for the error. */
function fieldNamed(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[ _-]/g, "")
  return Object.keys(FIELDS).find((field) => field.toLowerCase() === plain) ?? name
}

/** Only here a comma separates items; elsewhere it belongs to the sentence or command. */
const SEPARATED: readonly string[] = ["needs", "files"]

function readValue(field: string, text: string): unknown {
  const value = text.trim()
  const known = FIELDS[field]
  const kind = known === undefined ? "text" : describeField(known).kind
  if (value === "") return kind === "list" ? [] : undefined
  if (kind === "flag") return value === "true" || value === "yes" ? true : value === "false" ? false : value
  if (kind !== "list") return unquote(value)
  if (!SEPARATED.includes(field)) return [unquote(value)]
  // A comma in braces is part of a pattern.
  const parts = value.split(/,(?![^{]*\})/).map((part) => unquote(part.trim()))
  return parts.filter((part) => part !== "").map((part) => (field === "needs" ? part.replace(/^#/, "") : part))
}

function unquote(text: string): string {
  return /^`([^`]+)`$/.exec(text.trim())?.[1] ?? text.trim()
}

interface Section {
  readonly field: string
  readonly line: number
  readonly items: { readonly text: string; readonly number: number }[]
}

const SECTIONS: readonly string[] = ["acceptance", "checks", "run", "repair"]

function splitSections(body: readonly Line[]): { text: string; lists: Section[] } {
  const text: string[] = []
  const lists: Section[] = []
  let open: Section | undefined
  for (const line of body) {
    const heading = line.isCode ? null : /^###\s+(.*?)\s*:?\s*#*\s*$/.exec(line.text)
    const field = heading === null ? undefined : SECTIONS.find((each) => each === fieldNamed(heading[1] ?? ""))
    if (heading !== null) open = field === undefined ? undefined : { field, line: line.number, items: [] }
    if (open === undefined) text.push(line.text)
    else if (heading === null) addItem(open, line)
    else lists.push(open)
  }
  return { text: text.join("\n").trim(), lists }
}

/** A list entry, a continued line, or a line of code, which is a command. */
function addItem({ field, items }: Section, { text, number, isCode }: Line): void {
  const isCommand = field !== "acceptance"
  if (text.trim() === "" || /^\s*(?:`{3,}|~{3,})/.test(text) || (isCode && isCommand && /^\s*#/.test(text))) return
  const entry = isCode ? undefined : /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(text)?.[1]
  const last = items.at(-1)
  const goesOn = last?.text.endsWith("\\") === true && isCode
  if (last !== undefined && (goesOn || (!isCode && entry === undefined))) {
    items[items.length - 1] = {
      ...last,
      text: `${goesOn ? last.text.slice(0, -1).trimEnd() : last.text} ${text.trim()}`,
    }
    return
  }
  const value = entry ?? text
  items.push({ text: isCommand ? unquote(value) : value.trim(), number })
}
