import { expect, it } from "bun:test"
import { join } from "node:path"

const READ = `import { standardInput } from "${join(import.meta.dir, "standard-input.ts")}"
  console.log(JSON.stringify([standardInput(), standardInput()]))`

/** What a process reads that is given these bytes, the first and the second time it asks. */
function read(bytes: Uint8Array): string[] {
  return JSON.parse(Bun.spawnSync([process.execPath, "-e", READ], { stdin: bytes }).stdout.toString())
}

it.each([
  ["nothing", ""],
  ["a line", "{}\n"],
  ["a piece, whole", "x".repeat(65_536)],
  ["letters that lie across the end of a piece", "é€😀".repeat(60_000)],
])("reads all of %s, however often it is asked", (_, text) => {
  expect(read(new TextEncoder().encode(text))).toEqual([text, text])
})

it("leaves out the mark that some programs put in front", () => {
  expect(read(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))).toEqual(["{}", "{}"])
})
