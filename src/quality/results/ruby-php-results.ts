import { makeTally, nameOf, type ResultReader } from "./tally.ts"

const RSPEC_END =
  /^(\d+) examples?, (\d+) failures?(?:, \d+ pending)?(?:, (\d+) errors? occurred outside of examples)?$/

/** `rspec ./spec/shop_spec.rb:3 # Shop sells`, in the list at the end. */
const readRspec: ResultReader = {
  format: "rspec",
  signs: [" example"],
  read({ lines, path }) {
    const ends = lines.map((line) => RSPEC_END.exec(line)).filter((end) => end !== null)
    if (ends.length === 0) return undefined
    const tally = makeTally()
    for (const line of lines) {
      const [, file, name = ""] = /^rspec '?(.+?)(?::\d+|\[[\d:]+\])'?(?: # (.*))?$/.exec(line) ?? []
      if (file !== undefined) tally.add("failed", nameOf(path(file), name))
      const broken = /^An error occurred while loading (.+?)\.$/.exec(line)?.[1]
      if (broken !== undefined) tally.add("failed", path(broken))
    }
    const told = ends.reduce((sum, [, , failed, broken = "0"]) => sum + Number(failed) + Number(broken), 0)
    return told === tally.failed.length ? tally : "unclear"
  },
}

const MINITEST_END = /^\d+ (?:runs|tests), \d+ assertions, (\d+) failures, (\d+) errors(?:, \d+ skips)?$/

/** `1) Failure:` and `ShopTest#test_sells [test/shop_test.rb:4]:` on the next line. */
const readMinitest: ResultReader = {
  format: "minitest",
  signs: [" assertions, "],
  read({ lines }) {
    const ends = lines.map((line) => MINITEST_END.exec(line)).filter((end) => end !== null)
    if (ends.length === 0) return undefined
    const tally = makeTally()
    for (const [at, line] of lines.entries()) {
      const end = /^(?: +\d+\) )?(Failure|Error|Skipped):$/.exec(line)?.[1]
      const name = end && /^(\S.*?)(?: \[.+\])?:$/.exec(lines[at + 1] ?? "")?.[1]
      if (name) tally.add(end === "Skipped" ? "skipped" : "failed", name)
      const passed = /^(\S+#\S.*?) = [\d.]+ s = \.$/.exec(line)?.[1]
      if (passed !== undefined) tally.add("passed", passed)
    }
    const told = ends.reduce((sum, [, failed, errors]) => sum + Number(failed) + Number(errors), 0)
    return told === tally.failed.length ? tally : "unclear"
  },
}

/** `1) ShopTest::testSells` behind `There was 1 failure:`. */
const readPhpunit: ResultReader = {
  format: "phpunit",
  signs: ["PHPUnit ", " assertion"],
  read({ lines }) {
    const ends = lines.filter((line) => /^Tests: \d+, Assertions: \d+|^OK \(\d+ tests?, \d+ assertions?\)$/.test(line))
    if (ends.length === 0) return lines.some((line) => /^PHPUnit [\d.]+ by /.test(line)) ? "unclear" : undefined
    const tally = makeTally()
    let [left, number] = [0, 0]
    for (const line of lines) {
      const [, told, what] = /^There (?:was|were) (\d+) (.+):$/.exec(line) ?? []
      if (told !== undefined) [left, number] = [/^(?:failure|error)s?$/.test(what ?? "") ? Number(told) : 0, 0]
      const beginning = `${number + 1}) `
      if (left === 0 || !line.startsWith(beginning)) continue
      // The values of a data set may change between runs, its name or number does not.
      tally.add("failed", line.slice(beginning.length).replace(/( with data set (?:#\d+|".*?")).*$/, "$1"))
      ;[left, number] = [left - 1, number + 1]
    }
    const of = (line: string, word: string) => Number(new RegExp(`, ${word}: (\\d+)`).exec(line)?.[1] ?? 0)
    const told = ends.reduce((sum, line) => sum + of(line, "Errors") + of(line, "Failures"), 0)
    return told === tally.failed.length ? tally : "unclear"
  },
}

export const RUBY_AND_PHP_READERS: readonly ResultReader[] = [readRspec, readMinitest, readPhpunit]
