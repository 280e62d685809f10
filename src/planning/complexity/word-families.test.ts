import { expect, test } from "bun:test"
import WORDS from "./signal-words.json"
import { findSignals } from "./word-families.ts"

const entries = Object.values(WORDS).flatMap((table) => Object.values<string[]>(table).flat())

test("the tables have no entry that is never found: one or two words that begin with a letter, or a stem", () => {
  expect(entries.filter((entry) => !/^[a-z][a-z0-9]*(?:'[a-z]+)?(?: [a-z]+)?$|^[a-z]{4,}\*$/.test(entry))).toEqual([])
})

test("every entry of the tables is found, in the plural and with something after the stem as well", () => {
  const words = (text: string) => [...findSignals(text).values()].flat().map((signal) => signal.word)
  const stems = entries.filter((entry) => entry.endsWith("*")).map((entry) => `${entry.slice(0, -1)}ing`)
  const plain = entries.filter((entry) => !entry.endsWith("*") && entry !== "rest" && entry !== "clean up")
  for (const word of [...plain, ...plain.filter((entry) => !entry.endsWith("s")).map(plural), ...stems]) {
    expect(words(word)).toContain(word)
  }
})

function plural(word: string): string {
  return word.endsWith("y") ? `${word.slice(0, -1)}ies` : `${word}s`
}

test("numbers mean nothing, and stand between words all the same", () => {
  expect([...findSignals("404 2 1e9 12 34").keys()]).toEqual([])
  expect(findSignals("test account").has("tests")).toBeFalse()
  expect(findSignals("test 2 accounts").has("tests")).toBeTrue()
})

test("what belongs to operations is a signal for the backend, in the order of the text", () => {
  const signals = findSignals("Deploy the API with Docker")
  expect(signals.get("operations")?.map(({ word }) => word)).toEqual(["deploy", "docker"])
  expect(signals.get("backend")?.map(({ word }) => word)).toEqual(["deploy", "api", "docker"])
})
