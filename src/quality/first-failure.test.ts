import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { findFirstFailure } from "./first-failure.ts"

// What the runners print. Those of bun, node, python, cargo and tsc were printed by them; the others are written after them.
const read = (name: string) => readFileSync(join(import.meta.dir, "../../test/fixtures/failures", name), "utf8")
const IN_STOCK = "shop > sells what is in stock"
const JAVA = "org.opentest4j.AssertionFailedError: expected: <3> but was: <2>"

describe("the first failing test", () => {
  it.each([
    ["bun.txt", "math > adds", "a.test.ts", 5, "expect(received).toBe(expected)"],
    ["jest.txt", IN_STOCK, "src/shop.test.js", 6, "expect(received).toBe(expected) // Object.is equality"],
    [
      "jest-suite.txt",
      "Test suite failed to run",
      "src/broken.test.ts",
      1,
      "Cannot find module './shop' from 'src/broken.test.ts'",
    ],
    ["vitest.txt", IN_STOCK, "src/shop.test.ts", 6, "AssertionError: expected 2 to be 3 // Object.is equality"],
    ["mocha.txt", IN_STOCK, "test/shop.js", 9, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:"],
    ["node-tap.txt", "adds", "b.test.mjs", 6, "Expected values to be strictly equal:"],
    ["node-spec.txt", "adds", "b.test.mjs", 6, "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:"],
    ["pytest.txt", "test_adds", "test_d.py", 5, "assert (1 + 1) == 3"],
    ["unittest.txt", "test_c.TestMath.test_raises", "test_c.py", 8, "KeyError: 'stock'"],
    ["go.txt", "TestSells/in_stock", "shop_test.go", 14, "sold 2, want 3"],
    ["cargo.txt", "tests::adds", "src/lib.rs", 7, "assertion `left == right` failed: sums differ"],
    ["rspec.txt", "Shop#sell sells what is in stock", "spec/shop_spec.rb", 9, "expected: 3"],
    ["phpunit.txt", "ShopTest::testSells", "tests/ShopTest.php", 12, "Failed asserting that 2 matches expected 3."],
    ["maven.txt", "com.shop.PriceTest.adds", "PriceTest.java", 14, JAVA],
    ["gradle.txt", "PriceTest > adds()", "PriceTest.java", 14, JAVA],
    ["gradle-short.txt", "PriceTest > adds()", "PriceTest.java", 14, "org.opentest4j.AssertionFailedError"],
  ])("%s", (name, test, file, line, message) => {
    expect(findFirstFailure(read(name), "/repo")).toEqual({ test, file, line, message })
  })
})

describe("the first complaint", () => {
  it.each([
    ["tsc.txt", "TS2322", "src/shop.ts", 3, "Type 'string' is not assignable to type 'number'."],
    ["tsc-pretty.txt", "TS2322", "t.ts", 1, "Type 'string' is not assignable to type 'number'."],
    ["eslint.txt", "no-undef", "src/shop.js", 12, "'stock' is not defined"],
    ["biome.txt", "lint/style/useConst", "src/shop.ts", 3, "This let declares a variable that is only assigned once."],
    ["rustc.txt", "E0425", "src/lib.rs", 1, "cannot find value `nothing` in this scope"],
    ["go-build.txt", "error", "shop.go", 7, "undefined: stock"],
    ["gcc.txt", "error", "shop.c", 7, "'stock' undeclared (first use in this function)"],
    ["maven-build.txt", "error", "src/main/java/com/shop/Price.java", 7, "cannot find symbol"],
  ])("%s", (name, test, file, line, message) => {
    expect(findFirstFailure(read(name), "/repo")).toEqual({ test, file, line, message })
  })
})

describe("what tells of none", () => {
  it.each([
    "",
    "ok\n",
    "npm error code ENOENT\nnpm error path /repo/package.json\n",
    "grep: b.txt: No such file or directory\n",
    "10:31:07 listening on localhost:8080: ready\n",
    "ok 1 - adds\nnot ok 2 - later # TODO not yet\n1..2\n",
  ])("%p", (output) => {
    expect(findFirstFailure(output, "/repo")).toBeUndefined()
  })

  it("never fails, and stays short, whatever was printed", () => {
    const long = `(fail) ${"x".repeat(5000)} [1ms]\nerror: ${"y".repeat(5000)}`
    expect(findFirstFailure(`bun test v1\n${long}`, "/repo")?.test).toHaveLength(300)
    for (const name of ["bun.txt", "jest.txt", "go.txt", "cargo.txt", "maven.txt"]) {
      const lines = read(name).split("\n")
      // A recording may begin or break off anywhere.
      for (let at = 0; at < lines.length; at++) {
        findFirstFailure(lines.slice(at).join("\n"), "/repo")
        findFirstFailure(lines.slice(0, at).join("\n"), "/repo")
      }
    }
  })
})
