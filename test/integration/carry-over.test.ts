// The user takes commits out of the target while a team works: they must not come back with what the team delivers.
import { describe, expect, it } from "bun:test"
import { findForeignCommits } from "../../src/delivery/merge-queue/find-foreign-commits.ts"
import { ensureIntegration, findIntegration } from "../../src/git/integration.ts"
import { pinRef } from "../../src/kernel/branches.ts"
import { INTEGRATION, setUpDelivery } from "../support/delivery-setup.ts"
import type { Files } from "../support/merge-repository.ts"
import { FIRST_RUN, refusal } from "../support/stores.ts"

const FIRST = { "a.txt": "a\n", "b.txt": "b\n", kept: "k\n" }

describe("F127: commits that the user dropped in mid-run", () => {
  it("by a reset stay dropped, and the team's work is delivered on what is left", async () => {
    await using scene = await begin()
    const old = await scene.mergeTask("1", [{ "a.txt": "A\n" }, { new: "n\n" }])
    await scene.mergeTask("2", [{ "b.txt": "B\n" }])
    await scene.git.read(["reset", "--quiet", "--hard", scene.base])
    const report = await scene.deliver({ finalGate: async (commit) => scene.pass(commit) })
    expect(report).toMatchObject({ isMoved: true, from: scene.base, dropped: [expect.stringContaining("the secret")] })
    expect(await scene.log("main")).toEqual(["Merge task 2: Two", "Merge task 1: One"])
    expect(await scene.reaches("main", scene.dropped)).toBe(false)
    expect(await scene.reaches("main", old.head)).toBe(false)
    expect([scene.file("a.txt"), scene.file("b.txt"), scene.file("new")]).toEqual(["A\n", "B\n", "n\n"])
    expect(await scene.git.read(["ls-tree", "--name-only", "main", "--", "secret"])).toBe("")
    expect(await scene.git.read(["status", "--porcelain"])).toBe("")
    const all = await scene.git.read(["log", "--format=%s|%an", `${scene.base}..main`, "--no-merges"])
    expect(all.split("\n").sort()).toEqual(["work 1.1|Test", "work 1.2|Test", "work 2.1|Test"])
    const told = (await scene.events()).filter(([type]) => type === "target.rewritten")
    expect(told).toEqual([
      [
        "target.rewritten",
        { target: "main", from: scene.dropped, to: scene.base, dropped: report.dropped, former: FORMER },
      ],
    ])
  })

  it("are pinned with the integration branch as it was, and merged work counts as merged", async () => {
    await using scene = await begin()
    const old = await scene.mergeTask("1", [{ "a.txt": "A\n" }])
    await scene.git.read(["reset", "--quiet", "--hard", scene.base])
    await scene.deliver({ finalGate: async (commit) => scene.pass(commit) })
    expect(await scene.git.read(["rev-parse", FORMER])).toBe(old.commit)
    const pin = (kind: string) => scene.git.read(["rev-parse", pinRef(FIRST_RUN, { taskId: "1", attempt: 1 }, kind)])
    expect(await scene.reaches("main", await pin("head"))).toBe(true)
    expect(await pin(`earlier/${old.head.slice(0, 16)}`)).toBe(old.head)
    const integration = await findIntegration(scene.merges, FIRST_RUN)
    expect(integration).toMatchObject({ start: scene.base, tip: await scene.git.read(["rev-parse", "main"]) })
    if (integration === undefined) throw new Error("no integration branch")
    const heads = [await pin("head")]
    expect(await findForeignCommits(scene.merges, integration, { heads, known: new Set() })).toEqual([])
    expect(await scene.deliver()).toMatchObject({ isMoved: false })
  })

  it("by an amend stay as the user made them", async () => {
    await using scene = await begin()
    await scene.mergeTask("1", [{ "a.txt": "A\n" }])
    await scene.git.read(["rm", "--quiet", "secret"])
    await scene.git.read(["commit", "--quiet", "--amend", "--allow-empty", "-m", "without it"])
    await scene.deliver({ finalGate: async (commit) => scene.pass(commit) })
    expect(await scene.log("main")).toEqual(["Merge task 1: One", "without it"])
    expect(await scene.reaches("main", scene.dropped)).toBe(false)
  })

  it("after the target was taken in stay dropped too", async () => {
    await using scene = await begin()
    await scene.mergeTask("1", [{ "a.txt": "A\n" }])
    const later = await scene.userCommits({ kept: "later\n" })
    // Nobody judges it, so it is on the integration branch and not delivered.
    await refusal(scene.deliver())
    expect(await scene.reaches(INTEGRATION, later)).toBe(true)
    await scene.mergeTask("2", [{ "b.txt": "B\n" }])
    await scene.git.read(["reset", "--quiet", "--hard", scene.dropped])
    await scene.deliver({ finalGate: async (commit) => scene.pass(commit) })
    expect(await scene.reaches("main", later)).toBe(false)
    expect([scene.file("a.txt"), scene.file("b.txt"), scene.file("kept")]).toEqual(["A\n", "B\n", "k\n"])
  })

  it("are judged by the final gate without them, and the target does not move when that fails", async () => {
    await using scene = await begin()
    await scene.mergeTask("1", [{ "a.txt": "A\n" }])
    await scene.git.read(["reset", "--quiet", "--hard", scene.base])
    const refused = await refusal(scene.deliver({ finalGate: async (commit) => scene.fail(commit) }))
    expect(refused).toMatchObject({ code: "deliver.refused", message: "the final gate failed: tests failed" })
    expect(await scene.git.read(["rev-parse", "main"])).toBe(scene.base)
    // What mends it starts from what is left.
    expect(await scene.reaches(INTEGRATION, scene.dropped)).toBe(false)
    expect(await scene.reaches(INTEGRATION, scene.base)).toBe(true)
  })

  it("that the work cannot do without are named, with what to type", async () => {
    await using scene = await begin()
    const old = await scene.mergeTask("1", [{ secret: "changed\n" }])
    await scene.git.read(["reset", "--quiet", "--hard", scene.base])
    const refused = await refusal(scene.deliver({ finalGate: async (commit) => scene.pass(commit) }))
    expect(refused).toMatchObject({ code: "deliver.refused", details: { paths: ["secret"] } })
    expect(refused.message).toContain("the secret")
    expect(await scene.git.read(["rev-parse", "main", INTEGRATION])).toBe(`${scene.base}\n${old.commit}`)
    const command = /run: (git merge [0-9a-f]+);/.exec(refused.message)?.[1] ?? "false"
    expect(Bun.spawnSync(command.split(" "), { cwd: scene.folder }).exitCode).toBe(0)
    expect(await scene.deliver({ finalGate: async (commit) => scene.pass(commit) })).toMatchObject({ dropped: [] })
    expect(scene.file("secret")).toBe("changed\n")
  })

  it("do not come back when there is nothing to deliver", async () => {
    await using scene = await begin()
    await scene.git.read(["reset", "--quiet", "--hard", scene.base])
    expect(await scene.deliver()).toMatchObject({ isMoved: false, to: scene.base })
    expect(await scene.git.read(["rev-parse", "main", INTEGRATION])).toBe(`${scene.base}\n${scene.base}`)
  })
})

const FORMER = "refs/teamwork/house/main/workers/integration/1/head"
const TITLES: Readonly<Record<string, string>> = { 1: "One", 2: "Two" }

/** The integration branch begins at a commit of the user's on top of the first. */
async function begin() {
  const scene = await setUpDelivery(FIRST, { hasIntegration: false })
  const { git, commit, merges } = scene
  const dropped = await commit([scene.base], { secret: "s\n" }, "the secret")
  await git.read(["reset", "--quiet", "--hard", dropped])
  await ensureIntegration(merges, FIRST_RUN)
  return {
    ...scene,
    dropped,
    /** The work of a task, merged as the queue does it. */
    async mergeTask(task: string, work: readonly Files[]) {
      const base = await git.read(["rev-parse", INTEGRATION])
      let head = base
      for (const [index, files] of work.entries()) head = await commit([head], files, `work ${task}.${index + 1}`)
      const message = `Merge task ${task}: ${TITLES[task]}\n\nTeamwork-Task: ${task}\nTeamwork-Attempt: 1\n`
      const made = await merges.commit({ tree: await merges.tree(head), parents: [base, head], message })
      const own = { taskId: task, attempt: 1 }
      await merges.move([
        { ref: INTEGRATION, from: base, to: made },
        { ref: pinRef(FIRST_RUN, own, "base"), from: null, to: base },
        { ref: pinRef(FIRST_RUN, own, "head"), from: null, to: head },
      ])
      scene.pass(made)
      return { commit: made, head }
    },
    log: async (ref: string) =>
      (await git.read(["log", "--first-parent", "--format=%s", ref, `^${scene.base}`])).split("\n"),
    reaches: async (ref: string, other: string) =>
      (await git.run(["merge-base", "--is-ancestor", other, ref])).exitCode === 0,
  }
}
