import { expect, it } from "bun:test"
import { splitCommand } from "./split-command.ts"

const words = (line: string) => splitCommand(line).commands.map((command) => command.words)

it("takes quotes off and splits where a shell would", () => {
  expect(words(`teamwork task create --title 'a "b" && c' --role=backend`)).toEqual([
    ["teamwork", "task", "create", "--title", 'a "b" && c', "--role=backend"],
  ])
  expect(words("a && b; c || d\ne | f")).toEqual([["a"], ["b"], ["c"], ["d"], ["e"], ["f"]])
  expect(splitCommand("a | b").commands[1]).toEqual({ words: ["b"], joiner: "|" })
  expect(words(`a "" b'c'"d"`)).toEqual([["a", "", "bcd"]])
})

it.each(["a b", "a 'x $y `z`'", 'a "x; y && z > w"', "a && b;", "  a  ", "a\nb", "a --x=1,2 | b -c"])(
  "is sure of %j",
  (line) => expect(splitCommand(line).isPlain).toBe(true),
)

it.each([
  ...[
    "a $(b)",
    "a `b`",
    "a $B",
    'a "$(b)"',
    'a "`b`"',
    "a > b",
    "a < b",
    "a <<E\nx\nE",
    "a & b",
    "a &",
    "(a)",
    "{ a; }",
  ],
  ...[
    "a \\; b",
    "a 'b",
    'a "b',
    "a *.ts",
    "a ~/x",
    "A=1 b",
    "if a; then b; fi",
    "eval a",
    ". ./a",
    "a #b",
    "a |",
    "| a",
  ],
  ...["a\rb", "exec a", "a {b,c}", "a [b]", "!a", "a |& b", "source x"],
])("is not sure of %j", (line) => expect(splitCommand(line).isPlain).toBe(false))
