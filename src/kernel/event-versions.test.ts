import { describe, expect, it } from "bun:test"
import * as v from "valibot"
import { choice, list, number, text } from "../lib/schema.ts"
import { shape } from "./event-versions.ts"
import { type EventTable, readEvent, UNRECOGNIZED } from "./events.ts"

// A type with three versions, as one would look after two changes: the colour got a name of its own, then a list.
const painted = shape("nothing", { wall: text(""), colour: text("") })
  .next({ wall: text(""), colour: choice(["red", "blue"], "") }, ({ wall, colour }) => ({
    wall,
    colour: colour === "red" ? ("red" as const) : ("blue" as const),
  }))
  .next(
    { wall: text(""), colours: list(choice(["red", "blue"], ""), ""), coats: v.nullish(number("")) },
    ({ wall, colour }) => ({ wall, colours: [colour], coats: null }),
  )

const TABLE: EventTable = new Map(Object.entries({ "wall.painted": painted }))

const read = (version: number, data: Record<string, unknown>, type = "wall.painted"): unknown =>
  readEvent({ type, version, data }, TABLE)

describe("a type with three versions", () => {
  it.each([
    [1, { wall: "north", colour: "red" }, { wall: "north", colours: ["red"], coats: null }],
    [1, { wall: "north", colour: "mauve" }, { wall: "north", colours: ["blue"], coats: null }],
    [2, { wall: "north", colour: "blue" }, { wall: "north", colours: ["blue"], coats: null }],
    [3, { wall: "north", colours: ["red", "blue"], coats: 2 }, { wall: "north", colours: ["red", "blue"], coats: 2 }],
  ])("is read as the newest when version %i was stored: %p", (version, data, newest) => {
    expect(read(version, data)).toEqual({ type: "wall.painted", version: 3, data: newest })
  })

  it("writes the newest", () => {
    expect(painted.version).toBe(3)
    expect(Object.keys(painted.fields)).toEqual(["wall", "colours", "coats"])
  })

  it("checks each version by its own fields", () => {
    expect(() => read(2, { wall: "north", colour: "mauve" })).toThrow("colour is not one of red, blue")
    expect(() => read(1, { wall: "north" })).toThrow("colour is missing")
    expect(() => read(3, { wall: "north", colours: ["mauve"], coats: null })).toThrow("colours.0 is not one of")
    expect(() => read(0, {})).toThrow("there is no version 0")
  })

  it("refuses a version that a newer program wrote: to go on without it would be to decide by half of the facts", () => {
    expect(() => read(4, { wall: "north" })).toThrow(
      expect.objectContaining({ code: "store.too_new", details: { type: "wall.painted", version: 4, known: 3 } }),
    )
  })

  it("passes on a type that a newer program wrote, as it is", () => {
    const data = { colour: "red" }
    expect(read(2, data, "roof.painted")).toEqual({
      type: UNRECOGNIZED,
      version: 2,
      data: { type: "roof.painted", version: 2, data },
    })
    expect(read(1, {}, "constructor")).toMatchObject({ type: UNRECOGNIZED })
  })
})

describe("what is stored", () => {
  const { read } = shape("nothing", {
    a: text(""),
    b: v.nullish(text(""), null),
    c: v.optional(text("")),
    d: v.nullish(choice(["x"], ""), null),
  })

  it("is handed over as it is, with null for what was left out where null is a value", () => {
    const data = { a: "1", extra: [1] }
    expect(read(1, data) as object).toEqual({ a: "1", b: null, d: null, extra: [1] })
  })

  it.each([
    [{}, "a is missing"],
    [{ a: null }, "a is missing"],
    [{ a: 1 }, "a is not a text"],
    [{ a: "", b: 1 }, "b is not a text"],
    [{ a: "", c: null }, "c is missing"],
    [{ a: "", d: "y" }, "d is not one of x"],
  ])("%p: %s", (data, problem) => {
    expect(() => read(1, data)).toThrow(problem)
  })
})
