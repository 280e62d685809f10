import { expect, it } from "bun:test"
import { join } from "node:path"
import { makeScratch, sandboxEnv } from "../../test/support/sandbox.ts"
import { holdLock } from "./file-lock.ts"
import { sleep } from "./sleep.ts"

const impatient = { patienceMs: 0, sleep }

it("is held by one at a time, in one process too", async () => {
  using scratch = makeScratch()
  const path = join(scratch.path, "lock")
  const first = await holdLock(path, impatient)
  expect(await holdLock(path, impatient)).toBeUndefined()
  const waiting = holdLock(path, { patienceMs: 10_000, sleep })
  first?.[Symbol.dispose]()
  using second = await waiting
  expect(second).toBeDefined()
})

it("ends with the process that holds it", async () => {
  using scratch = makeScratch()
  const path = join(scratch.path, "lock")
  const script = `
    import { holdLock } from ${JSON.stringify(join(import.meta.dir, "file-lock.ts"))}
    globalThis.held = await holdLock(${JSON.stringify(path)}, { patienceMs: 0, sleep: Bun.sleep })
    console.log("held")
    setInterval(() => {}, 1000)`
  const holder = Bun.spawn([process.execPath, "-e", script], { env: sandboxEnv(), stdout: "pipe", stderr: "inherit" })
  const { value } = await holder.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe("held\n")
  expect(await holdLock(path, impatient)).toBeUndefined()
  holder.kill("SIGKILL")
  await holder.exited
  using lock = await holdLock(path, impatient)
  expect(lock).toBeDefined()
})
