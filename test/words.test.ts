// The words of the project: each concept has one word, defined once.
import { expect, it } from "bun:test"

it("GLOSSARY.md defines each word once", async () => {
  const text = await Bun.file("GLOSSARY.md").text()
  const words = [...text.matchAll(/^\| \*\*(.+?)\*\*( \([^)]*\))? \|/gm)].flatMap(([, names = "", of = ""]) =>
    names.split(", ").map((name) => `${name}${of}`),
  )
  expect(words.length).toBeGreaterThan(150)
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([])
  // A word with two meanings says of both which one is meant.
  const bare = words.filter((word) => !word.includes(" ("))
  const named = new Set(words.filter((word) => word.includes(" (")).map((word) => word.replace(/ \(.*/, "")))
  expect(bare.filter((word) => named.has(word))).toEqual([])
})
