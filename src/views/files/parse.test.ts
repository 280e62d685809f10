import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { arbitrarySnapshot, filesOf, folderOf } from "../../../test/support/snapshots.ts"
import { parseExport } from "./parse.ts"

describe("an export", () => {
  it("is read back as it was, whatever the team", () => {
    fc.assert(
      fc.property(arbitrarySnapshot(), (whole) => {
        const found = parseExport(folderOf(filesOf(whole)))
        expect(found).toEqual({ layout: "export", path: "", ...whole, skipped: [], changed: [] })
      }),
    )
  })
})
