import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { runCli } from "../support/run-cli.ts"
import { cliSuite } from "./cli.suite.ts"
import { makeWorld } from "./cli-world.ts"
import { ownershipSuite } from "./ownership.suite.ts"
import { PINNED, programFile } from "./pinned.ts"
import { GEMINI } from "./programs.ts"

cliSuite(GEMINI)
ownershipSuite(GEMINI, {
  denied: [replace("greeting.txt"), replace("src/../greeting.txt")],
  allowed: [replace("src/mine.txt")],
  allowing: { decision: "allow" },
})

function replace(file_path: string) {
  const input = { file_path, old_string: "good day", new_string: "good night", instruction: "a change" }
  return { name: "replace", input }
}

it("gemini commits in a name, although it hides the settings of git and the home has none", async () => {
  const commit = "git add made.txt && git commit --quiet --message=made"
  await using world = makeWorld(GEMINI, {
    commit: [{ tool: GEMINI.write("made.txt", "made\n") }, { tool: GEMINI.run(commit) }, { text: "committed" }],
  })
  const home = join(world.worktree, "../other-home")
  mkdirSync(home)
  const pinned = PINNED.find(({ name }) => name === "gemini")
  const command = pinned === undefined ? [] : [programFile(process.env.CLI_TEST_CACHE ?? "", pinned)]
  writeFileSync(join(home, "config.json"), JSON.stringify({ agents: { gemini: { command } } }))
  const run = async () => {
    const args = [
      "--agent",
      "gemini",
      "--model",
      GEMINI.model,
      "--permission",
      "full",
      "--wait",
      "[[commit]] commit it",
    ]
    const env = { ...GEMINI.variables(world.model.url), GIT_CONFIG_GLOBAL: undefined }
    const { stdout } = await runCli(["agent", "exec", ...args], { home, cwd: world.worktree, env, timeoutMs: 60_000 })
    expect(JSON.parse(stdout).data).toMatchObject({ status: "completed", output: "committed" })
    return world.git("log", "-1", "--format=%s %an <%ae> %cn <%ce>", "work")
  }
  const own = "teamwork gemini <noreply@teamwork.invalid>"
  expect(await run()).toBe(`made ${own} ${own}`)
  world.git("reset", "--quiet", "--hard", "HEAD~1")
  world.git("config", "user.name", "Ann")
  world.git("config", "user.email", "ann@example.com")
  expect(await run()).toBe("made Ann <ann@example.com> Ann <ann@example.com>")
})
