import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readTestResults } from "./test-results.ts"

// What the runners print for one small shop. All but nextest.txt and tape.txt were printed by them.
const read = (name: string) => readFileSync(join(import.meta.dir, "../../../test/fixtures/results", name), "utf8")
const results = (name: string) => readTestResults(read(name), "/repo")

const FILE = ["prices.test.js::prices > rounds", "prices.test.js::prices > with tax > adds"]
const GROUPS = ["prices > rounds", "prices > with tax > adds"]
const HOOK = 'hooks > "before each" hook for "never"'
const PYTEST = [
  "test_shop.py::test_rounds[a b - c]",
  "test_shop.py::TestPrices > test_adds",
  "test_shop.py::test_error",
]
const UNITTEST = [
  ...["unittest.loader._FailedTest.test_broken", "test_unit.Prices.test_error", "test_unit.Prices.test_rounds"],
  "test_unit.Prices.test_sub (n=2)",
]
const GO = ["example.org/shop::TestRounds/empty", "example.org/shop/bad::[build failed]"]
const PHPUNIT = ["ShopTest::testError", "ShopTest::testRounds", 'ShopTest::testData with data set "two"']

const FAILED: readonly (readonly [string, string, readonly string[]])[] = [
  ["node-tap.txt", "tap", ["shop.test.js::prices > rounds", "shop.test.js::prices > with tax > adds"]],
  ["node-spec.txt", "node-spec", ["shop.test.js::prices > rounds", "shop.test.js::prices > with tax > adds"]],
  ["node-junit.txt", "junit", GROUPS],
  ["jest.txt", "jest", [...FILE, "broken.test.js"]],
  ["jest-verbose.txt", "jest", [...FILE, "broken.test.js"]],
  ["vitest.txt", "vitest", ["broken.test.js", ...FILE]],
  ["vitest-verbose.txt", "vitest", ["broken.test.js", ...FILE]],
  [
    "vitest-junit.txt",
    "junit",
    ["broken.test.js", ...["rounds", "with tax > adds"].map((name) => `prices.test.js > prices > ${name}`)],
  ],
  ["vitest-tap.txt", "tap", ["broken.test.js", ...FILE]],
  ["mocha.txt", "mocha", [...GROUPS, HOOK]],
  ["mocha-tap.txt", "tap", ["prices rounds", "prices with tax adds", HOOK.replace(" >", "")]],
  [
    "mocha-xunit.txt",
    "junit",
    ["prices > rounds", "prices with tax > adds", HOOK].map((name) => `prices.spec.js::${name}`),
  ],
  ["ava.txt", "ava", ["prices > rounds"]],
  ["ava-tap.txt", "tap", ["prices › rounds"]],
  ["tape.txt", "tap", ["sells > should be equal #2"]],
  ["bun.txt", "bun", FILE],
  ["bun.xml", "junit", FILE],
  ["deno.txt", "deno", ["shop_test.ts::rounds", "shop_test.ts::group > inner bad"]],
  ["pytest.txt", "pytest", ["test_broken.py"]],
  ["pytest-v.txt", "pytest", PYTEST],
  ["unittest.txt", "unittest", UNITTEST],
  ["unittest-v.txt", "unittest", UNITTEST],
  ["go.txt", "go", GO],
  ["go-v.txt", "go", GO],
  ["go-json.txt", "go-json", GO],
  ["cargo-all.txt", "cargo", ["tests::rounds"]],
  ["nextest.txt", "nextest", ["shop tests::rounds"]],
  ["rspec.txt", "rspec", ["spec/shop_spec.rb::Shop rounds", "spec/shop_spec.rb::Shop with tax adds"]],
  ["minitest.txt", "minitest", ["ShopTest#test_error", "ShopTest#test_rounds"]],
  ["phpunit.txt", "phpunit", PHPUNIT],
]

describe("F003: the tests that failed, by name", () => {
  it.each(FAILED)("%s", (name, format, failed) => {
    expect(results(name)).toMatchObject({ format, failed: [...failed] })
  })

  it("reads what pytest and PHPUnit write as JUnit XML", () => {
    const [rounds, error, adds] = results("pytest.xml")?.failed ?? []
    expect([rounds, error, adds]).toEqual([
      ...["test_shop > test_rounds[a b - c]", "test_shop > test_error", "test_shop.TestPrices > test_adds"],
    ])
    expect(results("phpunit.xml")?.failed).toHaveLength(3)
    expect(results("phpunit.xml")?.failed[0]).toBe("ShopTest.php::ShopTest > testRounds")
  })
})

describe("the tests that passed or were skipped", () => {
  it("names them where the runner does", () => {
    expect(results("bun.txt")).toMatchObject({
      passed: ["cart.test.js::opens the cart", "prices.test.js::opens", "prices.test.js::prices > adds"],
      skipped: ["prices.test.js::prices > later", "prices.test.js::prices > some day"],
    })
    expect(results("node-tap.txt")?.passed).toEqual([
      ...["opens", "opens #2", "prices > adds", "group > inner ok", "group > inner # hash"],
    ])
    expect(results("pytest-v.txt")?.skipped).toEqual(["test_shop.py::test_later", "test_shop.py::test_known"])
    expect(results("cargo-all.txt")).toMatchObject({
      passed: ["tests::opens", "tests::panics", "opens", "src/lib.rs - add"],
      skipped: ["tests::later"],
    })
  })
})

describe("names are the same in another checkout, another second", () => {
  it.each(["node-tap.txt", "node-spec.txt", "vitest-tap.txt", "mocha-xunit.txt", "phpunit.xml"])("%s", (name) => {
    const elsewhere = read(name)
      .replaceAll("/repo", "/tmp/gate-17/tree")
      .replaceAll(/\d+\.\d+(?=m?s)/g, "9.87")
    expect(readTestResults(elsewhere, "/tmp/gate-17/tree")).toEqual(results(name) as never)
  })

  it("keeps only the file's name where it does not know the folder", () => {
    expect(readTestResults(read("node-tap.txt"), "/elsewhere")).toEqual(results("node-tap.txt") as never)
  })
})

describe("what is not whole tells nothing", () => {
  it.each([
    ...["node-tap.txt", "node-spec.txt", "jest.txt", "vitest.txt", "mocha.txt", "ava.txt", "bun.txt", "deno.txt"],
    ...[
      "pytest-v.txt",
      "unittest.txt",
      "go.txt",
      "cargo-all.txt",
      "rspec.txt",
      "minitest.txt",
      "phpunit.txt",
      "bun.xml",
    ],
    ...["node-junit.txt", "nextest.txt", "tape.txt", "vitest-tap.txt"],
  ])("%s, cut behind any of its lines", (name) => {
    const lines = read(name).split("\n")
    const whole = results(name)?.failed.length ?? 0
    for (let end = 0; end < lines.length; end++) {
      const cut = readTestResults(lines.slice(0, end).join("\n"), "/repo")
      // Rust prints the failures of one target after the other: the sums of the first ones are whole.
      if (cut !== undefined && name !== "cargo-all.txt") expect([end, cut.failed.length]).toEqual([end, whole])
    }
  })

  it.each([
    ["a failing test that is not named", "bun.txt", "(fail) prices > rounds [0.09ms]", ""],
    ["another number of failures", "pytest-v.txt", "2 failed,", "3 failed,"],
    ["a suite that tells of more", "bun.xml", 'failures="2" skipped="2"', 'failures="3" skipped="2"'],
    ["jest that stopped early", "jest.txt", "3 total", "3 of 4 total"],
    ["an error outside of all tests", "vitest.txt", "   Start at", "     Errors  1 error\n   Start at"],
    ["a part that was left out", "go.txt", "FAIL\n", "[120 bytes left out]\nFAIL\n"],
    ["coverage below its threshold", "jest.txt", "Ran all", "Jest: coverage threshold for lines not met\nRan all"],
    ["pytest that stopped early", "pytest.txt", "Interrupted: 1 error during collection", "stopping after 1 failures"],
  ])("%s", (_what, name, from, to) => {
    expect(read(name)).toContain(from)
    expect(readTestResults(read(name).replace(from, to), "/repo")).toBeUndefined()
  })

  it("does not take the first target of cargo for all of them", () => {
    expect(results("cargo.txt")).toBeUndefined()
  })

  it.each(["", "ok\n", "npm error code 1\n", "1 passed the door\n", "src/a.ts(3,1): error TS2322: no\n", "{}\n"])(
    "%p is no output of tests",
    (text) => {
      expect(readTestResults(text)).toBeUndefined()
    },
  )
})

it("joins what several runners of one command printed", () => {
  const both = readTestResults(`${read("bun.txt")}\n${read("unittest.txt")}`, "/repo")
  expect(both).toMatchObject({ format: "bun+unittest", failed: [...FILE, ...UNITTEST] })
})

it("takes time in proportion to the length", () => {
  const measure = (times: number) => {
    const text = `${"x ok 1 - FAIL  ● (fail) --- FAIL: test running 1 test <testcase ".repeat(40)}\n`.repeat(times)
    const from = performance.now()
    for (const name of ["bun.txt", "jest.txt", "pytest-v.txt"]) readTestResults(text + read(name), "/repo")
    return performance.now() - from
  }
  measure(50)
  const [short, long] = [measure(200), measure(1600)]
  expect(long).toBeLessThan(Math.max(short, 5) * 40)
})
