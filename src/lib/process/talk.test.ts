import { describe, expect, it } from "bun:test"
import { sandboxEnv } from "../../../test/support/sandbox.ts"
import { startTalk } from "./talk.ts"

const line = (output: Buffer) => output.indexOf(10) + 1 || -1

function talkTo(script: string, timeoutMs = 20_000) {
  return startTalk({ command: ["sh", "-c", script], cwd: "/", env: sandboxEnv(), timeoutMs })
}

describe("a program that stays", () => {
  it("answers one question after the other, also when they come at once", async () => {
    const talk = talkTo('while read word; do echo "$word!"; done')
    const answers = await Promise.all(["one", "two", "three"].map((word) => talk.ask(`${word}\n`, line)))
    expect(answers.map(String)).toEqual(["one!\n", "two!\n", "three!\n"])
    expect(String(await talk.ask("four\n", line))).toBe("four!\n")
    talk.end()
  })

  it("gives an answer that comes in parts as a whole", async () => {
    const talk = talkTo("read size; i=0; while [ $i -lt $size ]; do printf 0123456789; i=$((i + 1)); done; cat")
    const answer = await talk.ask("20000\n", (output) => (output.length < 200_000 ? -1 : 200_000))
    expect(answer.length).toBe(200_000)
    talk.end()
  })

  it("says that it has ended, to everybody who waits", async () => {
    const talk = talkTo("read word; exit 3")
    const asked = [talk.ask("one\n", line), talk.ask("two\n", line)]
    for (const answer of await Promise.allSettled(asked)) expect(answer.status).toBe("rejected")
  })

  it("is killed when it takes too long", async () => {
    const talk = talkTo("exec sleep 60", 50)
    await expect(talk.ask("one\n", line)).rejects.toThrow("ended before it answered")
  })

  it("keeps nobody from ending, and ends with whoever started it", async () => {
    const code = `import { startTalk } from ${JSON.stringify(`${import.meta.dir}/talk.ts`)}
      const talk = startTalk({ command: ["sh", "-c", "echo $$; exec cat"], cwd: "/", env: process.env, timeoutMs: 9000 })
      process.stdout.write(await talk.ask("", (output) => output.indexOf(10) + 1 || -1))`
    const child = Bun.spawn([process.execPath, "-e", code], { env: sandboxEnv(), stdout: "pipe", stderr: "inherit" })
    const pid = Number(await child.stdout.text())
    expect(await child.exited).toBe(0)
    expect(pid).toBeGreaterThan(1)
    const deadline = performance.now() + 10_000
    while (isThere(pid) && performance.now() < deadline) await Bun.sleep(5)
    expect(isThere(pid)).toBe(false)
  })
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
