import { makeTally, nameOf, type Output, type Reading, type ResultReader, sumOf } from "./tally.ts"

const LINE = /^( *)([✔✖﹣▶⚠]) (.+?)(?: \([\d.]+m?s\))?( # (?:SKIP|TODO).*)?$/

interface Open {
  readonly name: string
  readonly failuresBefore: number
}

/** `node --test --test-reporter=spec`: `▶ suite` opens a group, the same name closes it. */
const readSpec: ResultReader = {
  format: "node-spec",
  signs: ["ℹ tests ", "ℹ fail "],
  read(output) {
    const failed = sumOf(output.lines, /^ℹ fail (\d+)$/)
    if (failed === undefined || sumOf(output.lines, /^ℹ tests (\d+)$/) === undefined) return "unclear"
    const told = failed + (sumOf(output.lines, /^ℹ cancelled (\d+)$/) ?? 0)
    const tree = readTree(output.lines)
    // A failed subtest fails its test, but not its suite; both look the same.
    if (told < tree.failures.length || told > tree.failures.length + tree.failedGroups) return "unclear"
    return tell(tree, output)
  },
}

interface Tree {
  readonly found: { status: "passed" | "failed" | "skipped"; names: readonly string[] }[]
  readonly failures: string[]
  failedGroups: number
}

function readTree(lines: readonly string[]): Tree {
  const tree: Tree = { found: [], failures: [], failedGroups: 0 }
  const open: Open[] = []
  let isInTree = true
  for (const line of lines) {
    // The sums are followed by all failures again, and maybe by another tree.
    if (line.startsWith("ℹ tests ")) open.length = 0
    if (/^✖ failing tests:/.test(line)) isInTree = false
    else if (!isInTree && /^(?:▶ |✔ |ℹ tests )/.test(line)) isInTree = true
    if (isInTree) readLine(tree, open, line)
  }
  return tree
}

function readLine(tree: Tree, open: Open[], line: string): void {
  const [, space = "", sign = "", name = "", directive] = LINE.exec(line) ?? []
  if (sign === "") return
  const depth = space.length / 2
  const group = open.at(-1)
  if (group !== undefined && depth === open.length - 1 && group.name === name) {
    open.pop()
    if (sign === "✔" || sign === "▶" || directive !== undefined) return
    if (tree.failures.length > group.failuresBefore) tree.failedGroups++
    else add(tree, "failed", [...open.map((each) => each.name), name])
  } else if (depth === open.length) {
    if (sign === "▶") open.push({ name, failuresBefore: tree.failures.length })
    else {
      const isLeftOut = directive !== undefined || sign === "﹣" || sign === "⚠"
      const status = isLeftOut ? "skipped" : sign === "✔" ? "passed" : "failed"
      add(tree, status, [...open.map((each) => each.name), name])
    }
  }
}

function add(tree: Tree, status: "passed" | "failed" | "skipped", names: readonly string[]): void {
  tree.found.push({ status, names })
  if (status === "failed") tree.failures.push(names.at(-1) ?? "")
}

/** The list of failures has the files, in the order of the tree. Without a match there is no file. */
function tell(tree: Tree, { lines, path }: Output): Reading {
  const places: { file: string; name: string }[] = []
  for (const [at, line] of lines.entries()) {
    const file = /^test at (.+?):\d+:\d+$/.exec(line)?.[1]
    if (file !== undefined) places.push({ file: path(file), name: LINE.exec(lines[at + 1] ?? "")?.[3] ?? "" })
  }
  // The list also has failed groups, with other names or later.
  const files: (string | undefined)[] = []
  let from = 0
  for (const name of tree.failures) {
    const at = places.findIndex((place, index) => index >= from && place.name === name)
    files.push(at < 0 ? undefined : places[at]?.file)
    from = at < 0 ? from : at + 1
  }
  const isWhole = files.every((file) => file !== undefined)
  const tally = makeTally()
  let failure = 0
  for (const { status, names } of tree.found) {
    const file = status === "failed" && isWhole ? files[failure] : undefined
    if (status === "failed") failure++
    tally.add(status, nameOf(file, ...names.map((name) => (name.startsWith("/") ? path(name) : name))))
  }
  return tally
}

export const NODE_READERS: readonly ResultReader[] = [readSpec]
