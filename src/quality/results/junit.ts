import { makeTally, nameOf, type Output, type ResultReader } from "./tally.ts"

const TAG =
  /<(\/?)(testsuites|testsuite|testcase|failure|error|skipped)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g

interface Suite {
  readonly name: string
  readonly tag: string
  /** Failures as reported, and as seen. */
  readonly told: number
  seen: number
}

interface Case {
  readonly name: string
  status: "passed" | "failed" | "skipped"
}

export const readJunit: ResultReader = {
  format: "junit",
  signs: ["<testsuite"],
  read(output) {
    const tally = makeTally()
    const suites: Suite[] = []
    let open: Case | undefined
    let hasFound = false
    const close = (each: Case) => {
      tally.add(each.status, each.name)
      if (each.status === "failed") for (const suite of suites) suite.seen++
    }
    for (const [, end, tag = "", text = "", single] of withoutData(output.text).matchAll(TAG)) {
      if (tag === "testsuites" || tag === "testsuite") {
        hasFound = true
        if (end !== "/") {
          const attributes = readAttributes(text)
          const told = Number(attributes.failures ?? 0) + Number(attributes.errors ?? 0)
          const suite = { name: suiteName(attributes, output), tag, told, seen: 0 }
          if (single !== "/") suites.push(suite)
          else if (told > 0) return "unclear"
        } else {
          const last = suites.pop()
          // A suite may count only its direct parts, so seen may be more than reported.
          if (last?.tag !== tag || last.told > last.seen) return "unclear"
        }
      } else if (tag === "testcase") {
        if (end === "/" && open !== undefined) close(open)
        open = undefined
        if (end === "/") continue
        open = { name: caseName(readAttributes(text), suites, output), status: "passed" }
        if (single === "/") close(open)
        if (single === "/") open = undefined
      } else if (open !== undefined && end !== "/") open.status = statusOf(tag, open.status)
    }
    if (!hasFound) return undefined
    return suites.length === 0 && open === undefined ? tally : "unclear"
  },
}

function statusOf(tag: string, before: Case["status"]): Case["status"] {
  return tag === "skipped" ? (before === "failed" ? "failed" : "skipped") : "failed"
}

/** The text of a failure may quote tags. */
function withoutData(text: string): string {
  const parts: string[] = []
  let at = 0
  for (;;) {
    const from = text.indexOf("<![CDATA[", at)
    const to = from < 0 ? -1 : text.indexOf("]]>", from)
    if (to < 0) break
    parts.push(text.slice(at, from))
    at = to + 3
  }
  return parts.length === 0 ? text : [...parts, text.slice(at)].join("")
}

type Attributes = Readonly<Record<string, string>>

function readAttributes(text: string): Attributes {
  const found: Record<string, string> = {}
  for (const [, name = "", double, single] of text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    found[name] = decode(double ?? single ?? "")
  return found
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }

function decode(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (all, hex, decimal, word) => {
    if (word !== undefined) return ENTITIES[word] ?? all
    const code = Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}

/** A suite may be named after its file. */
function suiteName({ name = "" }: Attributes, output: Output): string {
  return isPath(name) ? output.path(name) : name
}

function isPath(name: string): boolean {
  return /^(?:\/|\.\/|file:|[A-Za-z]:\\)\S*$/.test(name)
}

/** Runners name the outermost suite after themselves. */
function caseName({ file, classname = "", name = "" }: Attributes, suites: readonly Suite[], output: Output): string {
  const inner = suites.filter((suite) => suite.tag === "testsuite").map((suite) => suite.name)
  const groups = inner.length > 1 || suites.length > 1 ? inner : []
  const runner = /^(?:pytest|Mocha Tests|test)$/
  const path = file === undefined ? undefined : output.path(file)
  const owner = runner.test(classname) ? "" : isPath(classname) ? output.path(classname) : classname
  // A class name made of the groups adds nothing.
  const isKnown = groups.some((group) => owner.includes(group))
  const parts = groups.filter((group) => !runner.test(group))
  return nameOf(path, ...(isKnown && parts.length > 0 ? parts : [...parts, owner]), name)
}
