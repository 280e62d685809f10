import { expect, it } from "bun:test"
import { descendantsOf, killAll, processesMarked } from "./process-tree.ts"

const env = { PATH: process.env.PATH }

it("finds what a process started, in other groups too, and what was started under a mark, and ends them", async () => {
  const mark = `TEST_MARK=${crypto.randomUUID()}`
  const [name = "", value] = mark.split("=")
  // The inner shell goes to a session of its own; the outer one waits.
  const script = `const { spawn } = require("node:child_process")
    const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
    console.log(child.pid)
    setInterval(() => {}, 1000)`
  const child = Bun.spawn([process.execPath, "-e", script], {
    env: { ...env, [name]: value },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  })
  const { value: line } = await child.stdout.getReader().read()
  const grandchild = Number(Buffer.from(line ?? []).toString())
  expect(descendantsOf(child.pid, env)).toEqual([grandchild])
  expect(processesMarked(mark, env).sort((a, b) => a - b)).toEqual([child.pid, grandchild].sort((a, b) => a - b))
  expect(processesMarked(`${mark}x`, env)).toEqual([])
  killAll(child.pid, [], "SIGKILL")
  await child.exited
  // Nothing but the mark ties it to us now.
  expect(descendantsOf(child.pid, env)).toEqual([])
  expect(processesMarked(mark, env)).toEqual([grandchild])
  killAll(child.pid, [grandchild], "SIGKILL")
  const deadline = performance.now() + 10_000
  while (processesMarked(mark, env).length > 0 && performance.now() < deadline) await Bun.sleep(5)
  expect(processesMarked(mark, env)).toEqual([])
})
