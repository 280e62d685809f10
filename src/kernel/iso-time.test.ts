import { expect, it } from "bun:test"
import fc from "fast-check"
import { isIsoTime } from "./iso-time.ts"

/** By the runtime's own calendar. */
function isSame(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text
}

it("agrees with the calendar on every day there is, and on none that is not", () => {
  const two = (number: number) => String(number).padStart(2, "0")
  for (const year of ["0000", "1900", "1999", "2000", "2023", "2024", "2100", "9999"])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const text = `${year}-${two(month)}-${two(day)}T23:59:59.999Z`
        expect({ text, is: isIsoTime(text) }).toEqual({ text, is: isSame(text) })
      }
})

it("agrees on times, and on texts that are none", () => {
  const moment = fc.date({ min: new Date(0), max: new Date("9999-12-31"), noInvalidDate: true })
  const iso = moment.map((date) => date.toISOString())
  const spoilt = fc
    .tuple(iso, fc.nat(24), fc.constantFrom("", "0", "9", "6", "x", ":", " ", "+", "é"))
    .map(([text, at, letter]) => text.slice(0, at) + letter + text.slice(at + 1))
  fc.assert(
    fc.property(fc.oneof(iso, spoilt, fc.string()), (text) => {
      expect({ text, is: isIsoTime(text) }).toEqual({ text, is: isSame(text) })
    }),
    { numRuns: 5000 },
  )
})
