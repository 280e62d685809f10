import { expect, it } from "bun:test"
import { parseDiff } from "./diff-lines.ts"

const lines = (...text: string[]) => `${text.join("\n")}\n`

it("tells added lines with their numbers and the part they are in", () => {
  const text = lines(
    "diff --git a/src/a.ts b/src/a.ts",
    "index 1111111..2222222 100644",
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -3 +3,2 @@ export function one() {",
    "-  old",
    "+  new",
    "+  newer\r",
    "@@ -10,2 +11,0 @@ function two() {",
    "-a",
    "-b",
  )
  expect(parseDiff(text)).toEqual([
    {
      ...{ path: "src/a.ts", status: "modified", oldMode: "100644", newMode: "100644", isBinary: false },
      hunks: [
        {
          heading: "export function one() {",
          added: [
            { number: 3, text: "  new" },
            { number: 4, text: "  newer" },
          ],
          removed: ["  old"],
        },
        { heading: "function two() {", added: [], removed: ["a", "b"] },
      ],
    },
  ])
})

it("takes no line for a header, whatever it says", () => {
  const text = lines(
    "diff --git a/a b/a",
    "new file mode 100644",
    "index 0000000..2222222",
    "--- /dev/null",
    "+++ b/a",
    "@@ -0,0 +1,5 @@",
    "+++ b/other",
    "+diff --git a/x b/x",
    "+@@ -1 +1 @@",
    "+",
    "+end",
    "\\ No newline at end of file",
    "diff --git a/b b/b",
    "deleted file mode 100755",
    "index 2222222..0000000",
    "--- a/b",
    "+++ /dev/null",
    "@@ -1,2 +0,0 @@",
    "--- a/c",
    "-x",
    "\\ No newline at end of file",
  )
  expect(parseDiff(text)).toMatchObject([
    {
      ...{ path: "a", status: "added", oldMode: null, newMode: "100644" },
      hunks: [
        {
          added: ["++ b/other", "diff --git a/x b/x", "@@ -1 +1 @@", "", "end"].map((each, at) => ({
            number: at + 1,
            text: each,
          })),
        },
      ],
    },
    { path: "b", status: "deleted", oldMode: "100755", newMode: null, hunks: [{ added: [] }] },
  ])
})

it("reads names with spaces, quotes, line breaks and other bytes", () => {
  const named = (git: string, plain: string) =>
    lines(
      `diff --git ${git} ${git.replace("a/", "b/")}`,
      "index 1..2 100644",
      `--- ${plain}`,
      `+++ ${plain.replace("a/", "b/")}`,
      "@@ -0,0 +1 @@",
      "+x",
    )
  const text = [
    named("a/with space", "a/with space\t"),
    named('"a/say \\"hi\\"\\\\"', '"a/say \\"hi\\"\\\\"'),
    named('"a/two\\nlines\\t"', '"a/two\\nlines\\t"'),
    named('"a/\\303\\244"', '"a/\\303\\244"'),
    named("a/-- rm -rf", "a/-- rm -rf\t"),
  ].join("")
  expect(parseDiff(text).map((file) => file.path)).toEqual([
    "with space",
    'say "hi"\\',
    "two\nlines\t",
    "ä",
    "-- rm -rf",
  ])
})

it("names files without lines: binary, empty, mode, link to another repository", () => {
  const text = lines(
    "diff --git a/a b c.png b/a b c.png",
    "index 1111111..2222222 100644",
    "Binary files a/a b c.png and b/a b c.png differ",
    "diff --git a/empty b/empty",
    "new file mode 100644",
    "index 0000000..e69de29",
    "diff --git a/run b/run",
    "old mode 100644",
    "new mode 100755",
    'diff --git "a/\\303\\244.bin" "b/\\303\\244.bin"',
    "index 1111111..2222222 100644",
    'Binary files "a/\\303\\244.bin" and "b/\\303\\244.bin" differ',
  )
  expect(parseDiff(text)).toMatchObject([
    { path: "a b c.png", status: "modified", isBinary: true, hunks: [] },
    { path: "empty", status: "added", isBinary: false },
    { path: "run", status: "modified", oldMode: "100644", newMode: "100755" },
    { path: "ä.bin" },
  ])
})

it("makes nothing of nothing", () => {
  expect(parseDiff("")).toEqual([])
})
