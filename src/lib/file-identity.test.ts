import { expect, it } from "bun:test"
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../test/support/sandbox.ts"
import { fileIdentity } from "./file-identity.ts"

it("stays with what is written to a file, and goes with the file", () => {
  using scratch = makeScratch("files")
  const [file, other] = [join(scratch.path, "a"), join(scratch.path, "b")]
  expect(fileIdentity(file)).toBeUndefined()
  writeFileSync(file, "1")
  const first = fileIdentity(file)
  expect(first).toBeString()
  writeFileSync(file, "2")
  expect(fileIdentity(file)).toBe(first)
  writeFileSync(other, "2")
  renameSync(other, file)
  expect(fileIdentity(file)).not.toBe(first)
})
