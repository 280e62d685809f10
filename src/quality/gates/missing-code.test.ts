import { expect, it } from "bun:test"
import { findMissingCode } from "./missing-code.ts"

const PATTERNS = ["TODO", "FIXME", "not implemented", "placeholder", "you can extend this"]

function find(path: string, text: string): string | undefined {
  const added = text.split("\n").map((line, at) => ({ number: at + 1, text: line }))
  for (const at of added.keys()) {
    const found = findMissingCode(path, added, at, PATTERNS)
    if (found !== undefined) return found
  }
  return undefined
}

it.each([
  ["a.ts", 'throw new Error("not implemented")', "not implemented"],
  ["a.ts", "  throw new Error(`price: Not implemented yet`) // soon", "not implemented"],
  ["a.js", 'return Promise.reject("TODO")', "TODO"],
  ["a.tsx", "throw new NotImplementedError()", "TODO"],
  ["a.py", "    raise NotImplementedError", "TODO"],
  ["a.py", '    raise NotImplementedError("later")', "TODO"],
  ["a.py", '    raise Exception("not implemented")', "not implemented"],
  ["a.go", 'panic("not implemented")', "not implemented"],
  ["a.go", 'return errors.New("not implemented")', "not implemented"],
  ["a.rs", "    todo!()", "TODO"],
  ["a.rs", '    unimplemented!("prices")', "TODO"],
  ["A.java", 'throw new UnsupportedOperationException("Not implemented");', "not implemented"],
  ["A.kt", 'fun price(): Int = TODO("later")', "TODO"],
  ["a.cs", "throw new NotImplementedException();", "TODO"],
  ["a.cpp", 'throw std::runtime_error("not implemented");', "not implemented"],
  ["a.rb", 'raise "not implemented"', "not implemented"],
  ["a.rb", "raise NotImplementedError, 'x'", "TODO"],
  ["a.php", 'throw new \\Exception("Not implemented");', "not implemented"],
  ["a.sql", "RAISE EXCEPTION 'not implemented';".toLowerCase(), "not implemented"],
  ["a.ts", "function price() {\n  // TODO: prices\n}", "TODO"],
  ["a.ts", "export const price = () => {\n  // FIXME\n  return null\n}", "FIXME"],
  ["a.ts", "function price() { /* TODO */ }", "TODO"],
  ["a.ts", "  price(item: Item): number {\n    // TODO\n    // and tax\n  }", "TODO"],
  ["a.py", "def price(item):\n    # TODO: prices\n    pass\n\ndef other():\n    return 1", "TODO"],
  ["a.py", "def price(item): pass  # TODO", "TODO"],
  ["a.go", "func price() {\n\t// TODO\n}", "TODO"],
  ["a.rs", "fn price(&self) {\n    // TODO\n}", "TODO"],
  ["a.rs", "fn price<'a>(x: &'a str) {} // TODO", "TODO"],
  ["a.c", "int price(void) {\n  /* you can extend this */\n}", "you can extend this"],
  ["a.rb", "def price\n  # TODO\nend", "TODO"],
])("%s: %j stands for missing code", (path, text, pattern) => {
  expect(find(path, text)).toBe(pattern)
})

it.each([
  ["chi.go", "// URLParam returns the placeholder's value"],
  ["a.ts", '// throw new Error("not implemented")'],
  ["a.ts", 'const text = "not implemented"'],
  ["a.ts", 'throw new Error("the placeholder is missing")'],
  ["a.ts", 'expect(() => price()).toThrow("not implemented")'],
  ["a.ts", "function price() {\n  // TODO: tax\n  return 3\n}"],
  ["a.ts", "if (isFree) {\n  // TODO\n}"],
  ["a.ts", "const TODO = 1"],
  ["a.py", "def price():\n    # TODO: tax\n    return 3"],
  ["a.py", '    """Subclasses raise NotImplementedError."""'],
  ["a.sh", "price() { echo 3; } # TODO"],
  ["a.html", "<!-- TODO -->"],
  ["a.md", 'throw new Error("not implemented")'],
  ["a.yml", "# TODO"],
  ["a.rs", "fn f<'a>(x: &'a str) -> &'a str { x } // TODO: 'a"],
  ["a.ts", 'const url = "https://example.org" // TODO'],
])("%s: %j does not", (path, text) => {
  expect(find(path, text)).toBeUndefined()
})

it("has no words to look for where the settings name none", () => {
  expect(findMissingCode("a.rs", [{ number: 1, text: "todo!()" }], 0, [])).toBeUndefined()
})
