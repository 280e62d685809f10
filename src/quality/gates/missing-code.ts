import { findPattern } from "../../tasks/evidence.ts"
import type { AddedLine } from "./diff-lines.ts"

/** Comment marks by file ending. All other files are text, never missing code. */
const SLASHES = ["//", "/*"]
const COMMENTS: Readonly<Record<string, readonly string[]>> = {
  ...byEnding(
    "js jsx ts tsx mjs cjs mts cts vue svelte go rs java kt kts c h cc cpp cxx hh hpp cs swift scala dart",
    SLASHES,
  ),
  ...byEnding("groovy m mm zig proto sol", SLASHES),
  ...byEnding("php", [...SLASHES, "#"]),
  ...byEnding("py pyi rb sh bash zsh fish pl pm r ex exs jl nim tcl ps1", ["#"]),
  ...byEnding("sql lua hs elm adb ads", ["--"]),
  ...byEnding("clj cljs lisp el scm", [";"]),
}

function byEnding(endings: string, marks: readonly string[]): Record<string, readonly string[]> {
  return Object.fromEntries(endings.split(" ").map((ending) => [ending, marks]))
}

function commentMarks(path: string): readonly string[] | undefined {
  return COMMENTS[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""]
}

const DIRECT: readonly RegExp[] = [
  /\b(?:todo|unimplemented)!\s*[([{]/,
  /^\s*raise\s+NotImplementedError\b/,
  /\bthrow\s+(?:new\s+)?(?:[\w$]+\.)*NotImplemented(?:Exception|Error)\b/,
]
const KOTLIN = /(?:^|[=\s{(>])TODO\s*\(/

const ENDS =
  /\b(?:throw|raise|panic!?|failwith|unreachable!?|(?:die|abort|fatalError|reject|Err|Error)(?=\s*\()|errors\.New|fmt\.Errorf|log\.Fatal\w*|return\s+error)/

/**
 * A blocked pattern in place of code: in a throwing statement, or in a comment that is the whole body of a
 * function. `at` is the index in `added`.
 */
export function findMissingCode(
  path: string,
  added: readonly AddedLine[],
  at: number,
  patterns: readonly string[],
): string | undefined {
  const marks = commentMarks(path)
  const text = added[at]?.text ?? ""
  // A cheap test first: most lines have no match.
  if (
    marks === undefined ||
    !/implement|todo|fixme|\braise\b|\bthrow\b|\bpanic|extend|work|place|hack|\/\/|\/\*|#|--/i.test(text)
  )
    return undefined
  const { code, comment } = splitComment(text, marks)
  const isDirect = DIRECT.some((each) => each.test(code)) || (/\.kts?$/.test(path) && KOTLIN.test(code))
  if (isDirect) return patterns.find((pattern) => /^(?:not implemented|todo)$/i.test(pattern.trim()))
  // A plain word, such as `placeholder`, may be the topic of the message.
  const telling = patterns.filter((pattern) => /\s/.test(pattern.trim()) || pattern === pattern.toUpperCase())
  if (ENDS.test(code)) {
    const told = findPattern(code, telling)
    if (told !== undefined) return told
  }
  const said = comment === "" ? undefined : findPattern(comment, patterns)
  return said !== undefined && isOnlyInFunction(added, at, { code, marks }) ? said : undefined
}

const HEAD =
  /\b(?:function|def|func|fn|fun|sub)\b|=>\s*\{?$|\)\s*(?:(?::|->|=>)[^{]*|const|override|noexcept|async|throws\s[\w\s,.]+)*\s*\{$/
const NO_FUNCTION =
  /^\s*(?:\}\s*)?(?:if|for|foreach|while|switch|else|elif|catch|except|try|do|with|when|match|unless|case)\b/
const NOTHING = /^\s*(?:pass|\.\.\.|return(?:\s+(?:null|nil|None|undefined))?)?\s*;?\s*$/
const END = /^\s*(?:\}[\s);,]*|end)\s*$/

/** The comment is the whole body of an added function. */
function isOnlyInFunction(
  added: readonly AddedLine[],
  at: number,
  { code, marks }: { readonly code: string; readonly marks: readonly string[] },
): boolean {
  const inLine = code.trim()
  // `function f() { /* TODO */ }` and `def f(): pass  # TODO`
  if (/\{\s*\}?[\s;,)]*$/.test(inLine) && isHead(inLine.replace(/\}?[\s;,)]*$/, "")) && endsHere(added, at, marks))
    return true
  if (/^(?:async\s+)?def\b.*:\s*(?:pass|\.\.\.)$/.test(inLine)) return true
  if (!NOTHING.test(inLine)) return false
  let above = at - 1
  while (isBeside(added, above) && NOTHING.test(codeAt(added, above, marks))) above--
  const head = isBeside(added, above) ? codeAt(added, above, marks) : ""
  if (!isHead(head)) return false
  let below = at + 1
  while (below < added.length && isBeside(added, below - 1) && NOTHING.test(codeAt(added, below, marks))) below++
  if (END.test(codeAt(added, below, marks)) && isBeside(added, below - 1)) return true
  // In Python the indent ends a body.
  const rest = added[below]?.text
  return (
    /:\s*$/.test(head) &&
    (rest === undefined || !isBeside(added, below - 1) || indentOf(rest) <= indentOf(added[above]?.text ?? ""))
  )
}

function isHead(code: string): boolean {
  return HEAD.test(code.trim()) && !NO_FUNCTION.test(code) && /[{:]\s*$|\)\s*$|\bdef\b[^:]*$/.test(code)
}

function endsHere(added: readonly AddedLine[], at: number, marks: readonly string[]): boolean {
  const own = codeAt(added, at, marks)
  return /\}[\s;,)]*$/.test(own) || (isBeside(added, at) && END.test(codeAt(added, at + 1, marks)))
}

function isBeside(added: readonly AddedLine[], at: number): boolean {
  const [line, next] = [added[at], added[at + 1]]
  return line !== undefined && (next === undefined || next.number === line.number + 1)
}

function codeAt(added: readonly AddedLine[], at: number, marks: readonly string[]): string {
  return splitComment(added[at]?.text ?? "", marks).code
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length
}

/** A comment mark in a string is code. */
function splitComment(line: string, marks: readonly string[]): { code: string; comment: string } {
  if (marks.includes("/*") && /^\s*\*(?!\/)/.test(line)) return { code: "", comment: line.trim().slice(1) }
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ""
    if (letter === "\\") at++
    else if (letter === '"' || letter === "'" || letter === "`") at = endOfQuote(line, at)
    else if (marks.some((mark) => line.startsWith(mark, at)) && (letter !== "#" || line[at + 1] !== "{")) {
      const rest = line.slice(at)
      const end = rest.startsWith("/*") ? rest.indexOf("*/") : -1
      const behind = end < 0 ? "" : rest.slice(end + 2)
      return { code: line.slice(0, at) + behind, comment: end < 0 ? rest : rest.slice(0, end) }
    }
  }
  return { code: line, comment: "" }
}

/** `from` if the quote does not end, as in Rust's `'a`. */
function endOfQuote(line: string, from: number): number {
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === "\\") at++
    else if (line[at] === line[from]) return at
  }
  return from
}
