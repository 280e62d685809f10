// `teamwork attach` on a real terminal: the agent's words as they come, and Ctrl+C that only ends the watching.
import { describe, expect, it } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeRepository } from "../support/team-runs.ts"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS, until } from "./bench.ts"
import { END, HAS_TMUX, openPane, WHY_NO_TMUX } from "./pane.ts"

const LONG_MS = 2 * TEST_TIMEOUT_MS

describe.skipIf(!HAS_TMUX)(`attach${WHY_NO_TMUX}`, () => {
  it.each(["child", "tmux"])(
    "F049: shows the agent's words live and stops nothing (%s)",
    async (runtime) => {
      using bench = makeBench()
      makeRepository(bench.cwd)
      const go = join(bench.home, "go")
      await bench.ok("project", "create", "--goal", "Words")
      const wait = `echo "I look around"; until test -e ${go}; do sleep 0.1; done; echo done > f1`
      await bench.ok("task", "create", "First", "--run", wait)
      await using _ = { [Symbol.asyncDispose]: () => stopAll(bench) }
      const spawned = await bench.run(["swarm", "spawn", "--runtime", runtime])
      expect(spawned).toMatchObject({ exitCode: 0 })
      await until(async () => (await statusOf(bench)) === "in_progress")
      {
        using pane = openPane(bench, 160, "teamwork attach w1")
        const seen = await pane.until((screen) => screen.includes("script: I look around"))
        expect(seen).toContain("script -> shell: ")
        pane.press("C-c")
        await pane.until((screen) => screen.includes(END))
      }
      writeFileSync(go, "")
      await until(async () => (await statusOf(bench)) === "resolved")
    },
    LONG_MS,
  )
})

async function statusOf(bench: Bench): Promise<unknown> {
  return (await bench.ok<Data>("task", "get", "1")).status
}

async function stopAll(bench: Bench): Promise<void> {
  await bench.run(["swarm", "stop", "--all", "--force"])
}
