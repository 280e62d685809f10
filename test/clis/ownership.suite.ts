// That a real CLI writes only what its job owns: what is not owned is denied before it is written, and it goes on.

import { describe, expect, it } from "bun:test"
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { TaskId } from "../../src/kernel/ids.ts"
import { quoteArgument } from "../../src/lib/text/quote-argument.ts"
import { MAIN, makeBench } from "../e2e/bench.ts"
import { owning } from "../support/agents.ts"
import { type Cli, makeWorld, NO_FILE, readIn, type World } from "./cli-world.ts"
import type { ToolCall } from "./model-protocols.ts"

export interface OwnershipCases {
  /** Other ways to write what is not owned. In the worktree are greeting.txt and src/mine.txt, and src/** is owned. */
  readonly denied?: readonly ToolCall[]
  /** And what is. */
  readonly allowed?: readonly ToolCall[]
  /** How a hook of the job says that it allows a tool; without hooks nothing. */
  readonly allowing?: object
}

const OWNED = { ...owning("src/**"), shared: ["src/locked/"] }

export function ownershipSuite(cli: Cli, { denied = [], allowed = [], allowing }: OwnershipCases): void {
  const { name } = cli.program

  describe(`${name} writes only what is its own`, () => {
    it.each(["edit", "full"] as const)("and goes on when it is denied, with permission %s", async (permission) => {
      const outside = [
        cli.write("other.txt", "no\n"),
        cli.write("src/../up.txt", "no\n"),
        cli.write("../outside.txt", "no\n"),
        cli.write("src/locked/x.txt", "no\n"),
        cli.write("src/link/linked.txt", "no\n"),
        ...denied,
      ]
      const inside = [cli.write("src/new.txt", "mine\n"), ...allowed]
      const steps = [...outside, ...inside].map((tool) => ({ tool }))
      await using world = prepared(cli, { edit: [...steps, { text: "went on: {{lastToolResult}}" }] })
      const { result, events } = await world.run({ prompt: "[[edit]]", permission, ownership: OWNED })
      expect(result.answer).toStartWith("went on: ")
      expect(result.reason).toBe("done")
      for (const path of ["other.txt", "up.txt", "../outside.txt", "src/locked/x.txt", "../elsewhere/linked.txt"])
        expect([path, readIn(world, path)]).toEqual([path, NO_FILE])
      expect(readIn(world, "greeting.txt")).toBe("good day\n")
      expect(readIn(world, "src/new.txt")).toBe("mine\n")
      const changed = world.git("status", "--porcelain", "--untracked-files=all", "--", ":!src")
      expect(changed).toBe("")
      const results = events.flatMap((event) => (event.type === "tool_result" ? [event] : []))
      const refused = results.filter(({ ok }) => !ok)
      expect(refused).toHaveLength(outside.length)
      expect(refused[0]?.output).toContain('other.txt" does not belong to task 1, which owns src/**')
      expect(results.filter(({ ok }) => ok)).toHaveLength(inside.length)
      expect(result.filesTouched.filter((path) => !path.startsWith("src/"))).toEqual([])
      expect(result.filesTouched).toContain("src/new.txt")
    })

    if (allowing === undefined) return
    it("and from then on what the lead grants while it runs", async () => {
      using team = makeBench()
      await team.ok("project", "create", "--goal", "x")
      await team.ok("task", "create", "--id", "1", "--title", "One", "--files", "src/**")
      const { claim_token: token } = await team.ok<{ claim_token: number }>("task", "claim", "1", "--owner", "w1")
      await team.ok("ownership", "ask", "1", "--owner", "w1", "--path", "other.txt", "--reason", "needed")
      const grant = ["ownership", "grant", "1", "1", "--by", "orchestrator", "--project", "shop", "--team", "main"]
      const line = [process.execPath, MAIN, ...grant].map(quoteArgument).join(" ")
      const steps = [
        cli.write("other.txt", "too early\n"),
        cli.run(`TEAMWORK_HOME=${quoteArgument(team.home)} ${line}`),
        cli.write("other.txt", "granted\n"),
        cli.write("another.txt", "no\n"),
      ]
      await using world = prepared(cli, { edit: [...steps.map((tool) => ({ tool })), { text: "over" }] })
      const where = { project: "shop", team: "main", store: `sqlite:${team.home}/teamwork.db` }
      const claim = { ...where, task: "1" as TaskId, owner: "w1", token }
      const { result, events } = await world.run({ prompt: "[[edit]]", permission: "full", ownership: OWNED, claim })
      expect(result).toMatchObject({ reason: "done", answer: "over" })
      expect(readIn(world, "other.txt")).toBe("granted\n")
      expect(readIn(world, "another.txt")).toBe(NO_FILE)
      expect(events.flatMap((event) => (event.type === "tool_result" ? [event.ok] : [])).sort()).toEqual(
        [false, true, true, false].sort(),
      )
    })

    it("and listens to its job's hook as well: both must agree", async () => {
      const steps = ["src/new.txt", "src/new-forbidden.txt", "other.txt"].map((path) => ({
        tool: cli.write(path, "x\n"),
      }))
      await using world = prepared(cli, { edit: [...steps, { text: "over" }] })
      const allow = JSON.stringify(allowing)
      const beforeTool = `case "$(cat)" in *forbidden*) echo 'not that one' >&2; exit 2;; esac; echo '${allow}'`
      const job = { prompt: "[[edit]]", permission: "edit", ownership: OWNED, hooks: { beforeTool } } as const
      const { result } = await world.run(job)
      expect(result).toMatchObject({ reason: "done", answer: "over" })
      expect(readIn(world, "src/new.txt")).toBe("x\n")
      expect(readIn(world, "src/new-forbidden.txt")).toBe(NO_FILE)
      expect(readIn(world, "other.txt")).toBe(NO_FILE)
    })
  })
}

function prepared(cli: Cli, scripts: Parameters<typeof makeWorld>[1]): World {
  const world = makeWorld(cli, scripts)
  const elsewhere = join(world.worktree, "../elsewhere")
  for (const folder of [elsewhere, join(world.worktree, "src")]) mkdirSync(folder)
  writeFileSync(join(world.worktree, "src/mine.txt"), "good day\n")
  symlinkSync(elsewhere, join(world.worktree, "src/link"))
  expect(existsSync(join(world.worktree, "src/link"))).toBe(true)
  return world
}
