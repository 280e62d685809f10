import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import * as v from "valibot"
import { flagOf } from "../../kernel/command-line.ts"
import { AppError } from "../../kernel/errors.ts"
import { choice, flag, list, number, record, text } from "../../lib/schema.ts"
import { checkInput, flagsOf, parseFlags } from "./flags.ts"

const FIELDS = {
  title: text("title"),
  blockedBy: v.optional(list(text("id"), "ids", ",")),
  addEvidence: v.optional(list(text("text"), "texts")),
  size: v.optional(number("size")),
  force: flag("force"),
  payload: v.optional(record("payload")),
  role: v.optional(choice(["backend", "frontend"], "role")),
}

function parse(...args: string[]) {
  return parseFlags(args, flagsOf(FIELDS), ["title"], "see: help")
}

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error.tell({ field: flagOf, remedy: ({ operation }) => operation })
    throw error
  }
  throw new Error("nothing was thrown")
}

describe("parseFlags", () => {
  it("gives all that is left to a list that comes last without its flag, and refuses it elsewhere", () => {
    const read = (positional: string[], ...args: string[]) => parseFlags(args, flagsOf(FIELDS), positional, "see: help")
    expect(read(["title", "addEvidence"], "a", "b", "c, d").values).toEqual({ title: "a", addEvidence: ["b", "c, d"] })
    expect(messageOf(() => read(["title"], "a", "b"))).toContain('unexpected argument "b"')
  })

  it("reads each kind of value", () => {
    const { values, rest } = parse(
      ...["Paint", "--blocked-by", "1, 2,,3", "--blocked-by=4", "--add-evidence", "a,b", "--add-evidence", "c"],
      ...["--size", "-1.5", "--force", "--payload", '{"a":[1]}', "--role=backend", "--", "--not", "a flag"],
    )
    expect(values).toEqual({
      title: "Paint",
      blockedBy: ["1", "2", "3", "4"],
      addEvidence: ["a,b", "c"],
      size: -1.5,
      force: true,
      payload: { a: [1] },
      role: "backend",
    })
    expect(rest).toEqual(["--not", "a flag"])
  })

  it("takes any text as a value after =, and a single dash or negative number as a word", () => {
    expect(parse("--title=--role=x=").values).toEqual({ title: "--role=x=" })
    expect(parse("--title=").values).toEqual({ title: "" })
    expect(parse("-").values).toEqual({ title: "-" })
    expect(parse("-5").values).toEqual({ title: "-5" })
    expect(parse("--title", "-x").values).toEqual({ title: "-x" })
  })

  it("lets a flag say false, and the last word count", () => {
    expect(parse("--force=false").values).toEqual({ force: false })
    expect(parse("--force=false", "--force").values).toEqual({ force: true })
  })

  it("says what is wrong", () => {
    const cases: [string[], string][] = [
      [["--titel", "x"], 'unknown flag "--titel"; did you mean --title? For all flags see: help'],
      [["--zzz"], 'unknown flag "--zzz"; see: help'],
      [["--title"], "--title needs a value"],
      [["--title", "--force"], "--title needs a value (for one that starts with --, write --title=--force)"],
      [["--title", "--"], "--title needs a value"],
      [["--title", "a", "--title", "b"], "--title was given 2 times; it takes one value"],
      [["a", "b"], 'unexpected argument "b"; see: help'],
      [["--force=maybe"], "--force takes no value"],
      [["--size", "big"], '--size "big" is not a number'],
      [["--size", ""], '--size "" is not a number'],
      [["--size", "0x"], '--size "0x" is not a number'],
      [["--payload", "{"], `--payload "{" is not JSON; write it as '{"message": "..."}'`],
    ]
    for (const [args, message] of cases) expect(messageOf(() => parse(...args))).toBe(message)
  })

  it("gives a value or an AppError of one line, whatever the words", () => {
    const word = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom(
        "--",
        "-",
        "--title",
        "--force",
        "--size",
        "--payload",
        "--blocked-by",
        "=",
        "--=",
        "--=x",
        "---",
      ),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        try {
          parse(...words)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          expect(error.message).not.toContain("\n")
        }
      }),
    )
  })
})

describe("checkInput", () => {
  it("names the flag, the value and what was probably meant", () => {
    expect(messageOf(() => checkInput(FIELDS, {}))).toBe("--title is missing")
    const example = "teamwork task create Search"
    expect(messageOf(() => checkInput(FIELDS, {}, example))).toBe(`--title is missing; for example: ${example}`)
    expect(messageOf(() => checkInput(FIELDS, { title: "x", role: "bakend" }))).toBe(
      '--role "bakend" is not one of backend, frontend; did you mean backend?',
    )
    expect(messageOf(() => checkInput(FIELDS, { title: "x", payload: [1] }))).toBe('--payload "[1]" is not an object')
    expect(checkInput(FIELDS, { title: "x", more: 1 })).toEqual({ title: "x" })
  })
})
