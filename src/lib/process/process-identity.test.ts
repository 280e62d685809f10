import { expect, test } from "bun:test"
import { identityOf, isRunning } from "./process-identity.ts"

test("a process is known again, and not taken for another one with its number", () => {
  const own = identityOf(process.pid)
  expect(own.start).not.toBe("")
  expect(isRunning(own)).toBe(true)
  expect(isRunning({ ...own, start: `${own.start}0` })).toBe(false)
  expect(isRunning(identityOf(process.ppid))).toBe(true)
})

test("a process that ended is not running", async () => {
  const child = Bun.spawn(["sleep", "60"])
  const identity = identityOf(child.pid)
  expect(isRunning(identity)).toBe(true)
  child.kill("SIGKILL")
  await child.exited
  expect(isRunning(identity)).toBe(false)
  expect(isRunning(identityOf(child.pid))).toBe(false)
})

test("nor is one that ended and whose parent has not asked how", async () => {
  // The shell starts a child that ends, and turns into a program that never asks for it.
  const parent = Bun.spawn(["sh", "-c", "sleep 0.01 & echo $!; exec sleep 60"], { stdout: "pipe" })
  const { value } = await parent.stdout.getReader().read()
  const identity = identityOf(Number(Buffer.from(value ?? []).toString()))
  for (let turns = 0; turns < 500 && isRunning(identity); turns++) await Bun.sleep(5)
  expect(isRunning(identity)).toBe(false)
  parent.kill("SIGKILL")
  await parent.exited
})
