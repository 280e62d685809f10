import { makeTally, nameOf, type ResultReader, sumIn, sumOf } from "./tally.ts"

/** `(fail) math > adds [0.33ms]` below `a.test.ts:`. */
const readBun: ResultReader = {
  format: "bun",
  signs: ["bun test v", "(fail) ", "(pass) "],
  read({ lines, path }) {
    const told = sumOf(lines, /^ *(\d+) fail$/)
    if (!lines.some((line) => /^(?:bun test v\d|\((?:pass|fail)\) )/.test(line))) return undefined
    const isWhole = lines.some((line) => /^Ran \d+ tests? across \d+ files?\./.test(line))
    if (told === undefined || !isWhole || lines.some((line) => /^ *\d+ errors?$/.test(line))) return "unclear"
    const tally = makeTally()
    let file: string | undefined
    let isRepeated = false
    for (const line of lines) {
      const header = /^(\S+\.[cm]?[jt]sx?):$/.exec(line)?.[1]
      if (header !== undefined) file = path(header)
      if (/^bun test v\d|^Ran \d+ tests? across/.test(line)) isRepeated = false
      // A long run repeats all failures at its end.
      if (/^\d+ tests? (?:failed|skipped|todo):$/.test(line)) isRepeated = true
      const [, sign, name = ""] = /^\((pass|fail|skip|todo)\) (.+?)(?: \[[\d.]+m?s\])?$/.exec(line) ?? []
      if (sign === undefined || isRepeated) continue
      tally.add(sign === "pass" ? "passed" : sign === "fail" ? "failed" : "skipped", nameOf(file, name))
    }
    return tally.failed.length === told ? tally : "unclear"
  },
}

/** ` FAIL  src/a.test.ts > math > adds`. Failures and sums use different streams, so their order says nothing. */
const readVitest: ResultReader = {
  format: "vitest",
  signs: [" Test Files  "],
  read({ lines, path }) {
    const sums = lines.filter((line) => /^ +Tests +(?:\d+ |no tests)/.test(line))
    if (!lines.some((line) => /^ Test Files +(?:\d+ |no test)/.test(line))) return undefined
    if (sums.length === 0 || lines.some((line) => /^ +Errors +\d+ error|⎯ Unhandled /.test(line))) return "unclear"
    const tests = sumIn(sums, /failed/)
    const suites = sumOf(lines, /^⎯+ Failed Suites (\d+) ⎯+$/) ?? 0
    const tally = makeTally()
    for (const line of lines) {
      const [, project, file, name = ""] =
        /^ FAIL {2}(?:\|([^|]*)\| )?(.+?\.[cm]?[jt]sx?)(?: > (.+)| \[ .* \])?$/.exec(line) ?? []
      if (file !== undefined) tally.add("failed", nameOf(withProject(project, path(file)), name))
      const [, sign, of, inFile = "", test = ""] =
        /^ ([✓↓□]) (?:\|([^|]*)\| )?(\S+?\.[cm]?[jt]sx?) > (.+?)(?: \d+m?s)?$/.exec(line) ?? []
      if (sign === undefined) continue
      tally.add(sign === "✓" ? "passed" : "skipped", nameOf(withProject(of?.replaceAll(" ", ""), path(inFile)), test))
    }
    return tally.failed.length === tests + suites ? tally : "unclear"
  },
}

function withProject(project: string | undefined, file: string): string {
  return project === undefined || project.trim() === "" ? file : `${project.trim()} ${file}`
}

/** `  ● math › adds` below `FAIL src/a.test.js`. */
const readJest: ResultReader = {
  format: "jest",
  signs: ["Test Suites: "],
  read({ lines, path }) {
    const suites = lines.filter((line) => /^Test Suites: \d/.test(line))
    const tests = lines.filter((line) => /^Tests: +\d/.test(line))
    if (suites.length === 0) return undefined
    if (tests.length !== suites.length || suites.some((line) => / \d+ of \d+ total$/.test(line))) return "unclear"
    const tally = makeTally()
    let file: string | undefined
    let [files, failed, broken, isRepeated] = [0, 0, 0, false]
    for (const line of lines) {
      if (/^Summary of all failing tests$/.test(line)) isRepeated = true
      if (/^Test Suites: \d/.test(line)) isRepeated = false
      const [, end, project, of] = /^(PASS|FAIL) (?:(\S+) )?(\S+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s.*\))?$/.exec(line) ?? []
      if (end !== undefined) file = end === "FAIL" ? withProject(project, path(of ?? "")) : undefined
      if (end === "FAIL" && !isRepeated) files++
      const title = /^ {2}● (.+)$/.exec(line)?.[1]
      if (title === undefined || title === "Console" || file === undefined || isRepeated) continue
      const isSuite = title === "Test suite failed to run"
      isSuite ? broken++ : failed++
      tally.add("failed", nameOf(file, isSuite ? "" : title.replaceAll(" › ", " > ")))
    }
    const isWhole = sumIn(tests, /failed/) === failed && sumIn(suites, /failed/) === files && broken <= files
    return isWhole ? tally : "unclear"
  },
}

/** `1) math` and `adds:` on separate lines, after `1 failing`. */
const readMocha: ResultReader = {
  format: "mocha",
  signs: [" passing (", " failing"],
  read({ lines }) {
    if (!lines.some((line) => /^ +\d+ passing \(.+\)$/.test(line))) return undefined
    const tally = makeTally()
    let [left, number, names] = [0, 0, undefined as string[] | undefined]
    let [marked, told] = [0, 0]
    for (const line of lines) {
      const failing = /^ +(\d+) failing$/.exec(line)?.[1]
      if (failing !== undefined) {
        if (left > 0 || names !== undefined) return "unclear"
        ;[left, number] = [Number(failing), 0]
        told += left
        continue
      }
      // The tree has the number of a failure; its name comes after the sums.
      if (left === 0 && names === undefined && number === 0 && /^ +\d+\) \S/.test(line)) marked++
      if (left > 0 && names === undefined && line.startsWith(`  ${number + 1}) `)) {
        names = [line.slice(`  ${number + 1}) `.length)]
      } else if (names !== undefined) names.push(line.trim())
      if (names === undefined || !(names.at(-1) ?? "").endsWith(":")) continue
      tally.add("failed", nameOf(undefined, ...names).slice(0, -1))
      ;[left, number, names] = [left - 1, number + 1, undefined]
    }
    return left === 0 && names === undefined && marked <= told ? tally : "unclear"
  },
}

/** `✘ [fail]: shop › sells`. */
const readAva: ResultReader = {
  format: "ava",
  signs: ["  ─"],
  read({ lines }) {
    const sums = lines.filter((line) => /^ {2}\d+ (?:tests?|hooks?) (?:passed|failed)$/.test(line))
    if (sums.length === 0) return undefined
    const odd = /^ {2}\d+ (?:uncaught exceptions?|unhandled rejections?|tests? remained pending)|^ {2}✘ (?!\[fail\])/
    if (lines.some((line) => odd.test(line))) return "unclear"
    const tally = makeTally()
    const patterns = {
      failed: /^ {2}✘ \[fail\]: (.+)$/,
      passed: /^ {2}✔ (?:\[expected fail\] )?(.+?)(?: \([\d.]+m?s\))?$/,
      skipped: /^ {2}- \[(?:skip|todo)\] (.+)$/,
    }
    for (const line of lines)
      for (const status of ["failed", "passed", "skipped"] as const) {
        const name = patterns[status].exec(line)?.[1]
        if (name !== undefined) tally.add(status, name.replaceAll(" › ", " > "))
      }
    return sumIn(sums, /tests? failed|hooks? failed/) === tally.failed.length ? tally : "unclear"
  },
}

/** `sells ... FAILED (1ms)` below `running 2 tests from ./shop_test.ts`, with the steps of a test in between. */
const readDeno: ResultReader = {
  format: "deno",
  signs: [" passed"],
  read({ lines, path }) {
    const sums = lines.filter((line) => /^(?:ok|FAILED) \| \d+ passed/.test(line))
    if (sums.length === 0) return undefined
    const tally = makeTally()
    const groups: string[] = []
    let [file, top, isTold] = ["", 0, false]
    for (const line of lines) {
      const from = /^running \d+ tests? from (.+)$/.exec(line)?.[1]
      if (from !== undefined) [file, isTold] = [path(from), false]
      if (/^ ?(?:ERRORS|FAILURES) ?$/.test(line)) isTold = true
      const [, space = "", name, end, steps] =
        /^( *)(.+?) \.\.\.(?: (ok|FAILED|ignored)(?: \((due to .*?)\))?(?: \(.*\))?)?$/.exec(line) ?? []
      if (name === undefined || isTold) continue
      const depth = space.length / 2
      groups.length = Math.min(groups.length, depth)
      if (end === undefined) groups[depth] = name
      else {
        if (depth === 0 && end === "FAILED") top++
        const names = [...groups.slice(0, depth), name]
        const status = end === "ok" ? "passed" : end === "FAILED" ? "failed" : "skipped"
        if (steps === undefined) tally.add(status, nameOf(file, ...names))
      }
    }
    return sumIn(sums, /failed/) === top ? tally : "unclear"
  },
}

export const JAVASCRIPT_READERS: readonly ResultReader[] = [readBun, readVitest, readJest, readMocha, readAva, readDeno]
