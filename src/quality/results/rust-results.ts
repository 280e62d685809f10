import { makeTally, type ResultReader } from "./tally.ts"

const BLOCK_END = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored;/

/** `cargo test` prints target after target, without their names. */
const readCargo: ResultReader = {
  format: "cargo",
  signs: ["test result: "],
  read({ lines }) {
    const begun = lines.filter((line) => /^running \d+ tests?$/.test(line)).length
    const ended = lines.filter((line) => BLOCK_END.test(line)).length
    if (begun === 0 && ended === 0) return undefined
    if (begun !== ended || lines.some((line) => /^error(?:\[E\d+\])?: could not compile/.test(line))) return "unclear"
    // Without --no-fail-fast, targets after the first failure did not run.
    const isStopped = lines.some((line) => /^error: (?:\d+ )?(?:test|doctest) failed, to rerun pass/.test(line))
    const isWhole = lines.some((line) => /^error: \d+ targets? failed:$/.test(line))
    if (isStopped && !isWhole) return "unclear"
    const tally = makeTally()
    let listed: string[] | undefined
    let named: { readonly name: string; readonly end: string }[] = []
    for (const line of lines) {
      const [, name, end] = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/.exec(line) ?? []
      if (name !== undefined && end !== undefined) named.push({ name, end })
      if (line === "failures:") listed = []
      else if (/^ {4}\S/.test(line)) listed?.push(line.trim())
      const [, , failed] = BLOCK_END.exec(line) ?? []
      if (failed === undefined) continue
      const failures = new Set(failed === "0" ? [] : listed)
      if (failures.size !== Number(failed)) return "unclear"
      for (const each of named) {
        const isFailure = failures.delete(each.name)
        const status = isFailure ? "failed" : each.end === "ignored" ? "skipped" : "passed"
        if (isFailure || each.end !== "FAILED") tally.add(status, withoutLine(each.name))
      }
      // With -q, or if a test printed into its line, only the list has the name.
      for (const each of failures) tally.add("failed", withoutLine(each))
      ;[named, listed] = [[], undefined]
    }
    return tally
  },
}

/** `src/lib.rs - add (line 1)`: an example in the documentation. */
function withoutLine(name: string): string {
  return name.replace(/ \(line \d+\)/, "")
}

const NEXTEST_LINE =
  /^ *(PASS|FAIL|SIG\w+|ABORT|TIMEOUT|LEAK|LEAK-FAIL|FLAKY \d+\/\d+|SKIP|EXECFAIL|TMT) \[[^\]]*\] +(?:\( *\d+\/\d+\) )?(\S+ .+)$/
const NEXTEST_END =
  /^ *Summary \[[^\]]*\] +(\d+)(\/\d+)? tests? run: (\d+) passed(?: \([^)]*\))?(?:, (\d+) failed)?(?:, (\d+) timed out)?/

/** `FAIL [   0.005s] shop tests::sells`; repeated below the summary. */
const readNextest: ResultReader = {
  format: "nextest",
  signs: ["Summary ["],
  read({ lines }) {
    const at = lines.findIndex((line) => NEXTEST_END.test(line))
    if (at < 0) return lines.some((line) => /^ *Nextest run ID /.test(line)) ? "unclear" : undefined
    const [, , of, , failed = "0", late = "0"] = NEXTEST_END.exec(lines[at] ?? "") ?? []
    const execFailed = /(\d+) exec failed/.exec(lines[at] ?? "")?.[1] ?? "0"
    if (of !== undefined || lines.slice(at + 1).some((line) => NEXTEST_END.test(line))) return "unclear"
    const [good, bad] = [new Set<string>(), new Set<string>()]
    for (const line of lines) {
      const [, word, name] = NEXTEST_LINE.exec(line) ?? []
      if (word === undefined || name === undefined || word === "SKIP") continue
      if (/^(?:PASS|LEAK|FLAKY.*)$/.test(word)) good.add(name)
      else bad.add(name)
    }
    const tally = makeTally()
    for (const name of good) if (!bad.has(name)) tally.add("passed", name)
    for (const name of bad) tally.add("failed", name)
    return bad.size === Number(failed) + Number(late) + Number(execFailed) ? tally : "unclear"
  },
}

export const RUST_READERS: readonly ResultReader[] = [readCargo, readNextest]
