import * as v from "valibot"
import { makeTally, type ResultReader, type Tally } from "./tally.ts"

const RESULT = /^ *--- (FAIL|PASS|SKIP): (\S+) \([\d.]+s\)$/
const PACKAGE_END = /^(ok {2}|FAIL|\? {3})\t(\S+)(?:\t| \[(.+)\]|$)/
const STATUS = { FAIL: "failed", PASS: "passed", SKIP: "skipped" } as const

/** `--- FAIL: TestSells/empty (0.00s)` above the line of its package. */
const readGo: ResultReader = {
  format: "go",
  signs: ["ok  \t", "FAIL\t"],
  read({ lines, text }) {
    if (text.includes('"Action":"')) return undefined
    if (!lines.some((line) => PACKAGE_END.test(line))) return undefined
    if (lines.some((line) => /^panic: test timed out after /.test(line))) return "unclear"
    const tally = makeTally()
    let tests: Test[] = []
    let [packages, failed, isEnded] = [0, 0, false]
    for (const line of lines) {
      const [, word, name] = RESULT.exec(line) ?? []
      if (name !== undefined) tests.push({ status: STATUS[word as keyof typeof STATUS], name })
      if (line === "FAIL") isEnded = true
      const [, end, of = "", why] = PACKAGE_END.exec(line) ?? []
      if (end === undefined) continue
      packages++
      isEnded = false
      if (end === "FAIL") failed++
      addPackage(tally, of, { tests, hasFailed: end === "FAIL", why })
      tests = []
    }
    // A last FAIL ends a list of packages; a single package ends with its exit status.
    const isAlone = packages === 1 && lines.some((line) => /^exit status \d+$/.test(line))
    const isCut = tests.length > 0 || (failed > 0 && !isEnded && !isAlone)
    return isCut ? "unclear" : tally
  },
}

interface Test {
  readonly status: "passed" | "failed" | "skipped"
  readonly name: string
}

interface GoPackage {
  readonly tests: readonly Test[]
  readonly hasFailed: boolean
  readonly why?: string | undefined
}

/** Skips tests that failed by their subtests. A package that failed without a test counts itself. */
function addPackage(tally: Tally, name: string, { tests, hasFailed, why }: GoPackage): void {
  const groups = new Set<string>()
  for (const test of tests) {
    if (test.status !== "failed") continue
    for (let at = test.name.indexOf("/"); at >= 0; at = test.name.indexOf("/", at + 1))
      groups.add(test.name.slice(0, at))
  }
  for (const test of tests)
    if (test.status !== "failed" || !groups.has(test.name)) tally.add(test.status, `${name}::${test.name}`)
  if (hasFailed && !tests.some((test) => test.status === "failed"))
    tally.add("failed", why === undefined ? name : `${name}::[${why}]`)
}

const Line = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    Action: v.string(),
    Package: v.string(),
    Test: v.fallback(v.optional(v.string()), undefined),
    Output: v.fallback(v.string(), ""),
    FailedBuild: v.optional(v.unknown()),
  }),
)

/** `go test -json`: an object per line. */
const readGoJson: ResultReader = {
  format: "go-json",
  signs: ['"Action":"'],
  read({ text }) {
    const packages = new Map<string, { tests: Test[]; end: string | undefined; why?: string }>()
    const open = (name: string) => {
      const known = packages.get(name) ?? { tests: [], end: undefined }
      packages.set(name, known)
      return known
    }
    for (const line of text.split("\n")) {
      // Older versions report build failures outside of the objects.
      const [, name, why] = /^FAIL\t(\S+) \[(build failed|setup failed)\]$/.exec(line) ?? []
      if (name !== undefined && why !== undefined) Object.assign(open(name), { end: "fail", why })
      const read = line.startsWith("{") ? v.safeParse(Line, line) : undefined
      if (read?.success !== true) continue
      const { Action: action, Package: of, Test: test, Output: output, FailedBuild: build } = read.output
      const known = open(of)
      if (output.startsWith("panic: test timed out")) return "unclear"
      if (action !== "pass" && action !== "fail" && action !== "skip") continue
      if (test !== undefined) known.tests.push({ status: ENDS[action], name: test })
      else Object.assign(known, { end: action, ...(build !== undefined && { why: "build failed" }) })
    }
    if (packages.size === 0) return undefined
    const tally = makeTally()
    for (const [name, { tests, end, why }] of packages) {
      if (end === undefined) return "unclear"
      addPackage(tally, name, { tests, hasFailed: end === "fail", why })
    }
    return tally
  },
}

const ENDS = { pass: "passed", fail: "failed", skip: "skipped" } as const

export const GO_READERS: readonly ResultReader[] = [readGo, readGoJson]
