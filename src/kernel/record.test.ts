import { describe, expect, it } from "bun:test"
import * as v from "valibot"
import { AppError } from "./errors.ts"
import { readRecord } from "./record.ts"

const Wisdom = v.object({ text: v.string(), role: v.nullish(v.string(), null) })

describe("readRecord", () => {
  it("returns the data of a record, with defaults for fields that earlier versions did not write", () => {
    const data = readRecord(Wisdom, { kind: "wisdom", number: 3, data: { text: "use tabs" } })
    expect(data).toEqual({ text: "use tabs", role: null })
  })

  it("names record and field when stored data does not fit", () => {
    const read = () => readRecord(Wisdom, { kind: "wisdom", number: 3, data: { text: 7 } })
    expect(read).toThrow(AppError)
    expect(read).toThrow(/wisdom 3 .*text/)
  })
})
