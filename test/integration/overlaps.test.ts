// Branches that are still being worked on and do not fit together: found by trial merges, told once.
import { describe, expect, it } from "bun:test"
import { watchOverlaps } from "../../src/delivery/merge-queue/watch-overlaps.ts"
import type { Merges } from "../../src/git/port.ts"
import { readMailbox } from "../../src/messages/operations/read-mailbox.ts"
import { makeMergeRepository } from "../support/merge-repository.ts"
import { context, makeTeam, run, STORES, TEAM } from "../support/stores.ts"

describe.each(Object.keys(STORES))("overlapping edits, on %s", (store) => {
  it("are told to both workers and the lead, once for the same workers and paths", async () => {
    await using scene = await prepare(store)
    await scene.branch("w1", { shared: "one\n", a: "1\n" })
    await scene.branch("w2", { shared: "two\n", b: "2\n" })
    await scene.branch("w3", { c: "3\n" })
    const found = [{ workers: ["w1", "w2"], paths: ["shared"] }]
    expect(await scene.look()).toEqual(found as never)
    expect(await scene.look()).toEqual(found as never)
    // Another process, as after a restart, knows nothing of the first.
    expect(await watchOverlaps(scene.context, scene.merges, TEAM).look()).toEqual(found as never)
    for (const [inbox, text] of [
      ["w1", `Your branch and w2's conflict in "shared". Agree with w2`],
      ["w2", `Your branch and w1's conflict in "shared". Agree with w1`],
      ["orchestrator", `The branch of w1 and that of w2 conflict in "shared".`],
    ] as const) {
      const messages = await scene.inbox(inbox)
      expect(messages.map((message) => message.from)).toEqual(["teamwork"])
      expect(messages[0]?.payload.message).toStartWith(text)
    }
    expect(await scene.inbox("w3")).toEqual([])
  })

  it("are told again when they become more, and not when a branch just goes on", async () => {
    await using scene = await prepare(store)
    await scene.branch("w1", { shared: "one\n" })
    await scene.branch("w2", { shared: "two\n" })
    await scene.look()
    await scene.branch("w2", { shared: "two\n", more: "x\n" })
    await scene.look()
    expect(await scene.inbox("w1")).toHaveLength(1)
    await scene.branch("w1", { shared: "one\n", more: "y\n" })
    await scene.look()
    expect((await scene.inbox("w1")).at(-1)?.payload.overlap).toEqual({
      workers: ["w1", "w2"],
      paths: ["more", "shared"],
    })
  })
})

describe("looking for overlaps", () => {
  it("tries only pairs that changed the same paths, and each pair of heads once", async () => {
    await using scene = await prepare("sqlite")
    for (let n = 1; n <= 6; n++) await scene.branch(`w${n}`, { [`f${n}`]: "x\n" })
    await scene.branch("w7", { text: "A\nb\nc\nd\ne\n" })
    await scene.branch("w8", { text: "a\nb\nc\nd\nE\n" })
    let trials = 0
    const merges: Merges = {
      ...scene.merges,
      merge: (ours, theirs) => {
        trials += 1
        return scene.merges.merge(ours, theirs)
      },
    }
    const watch = watchOverlaps(scene.context, merges, TEAM)
    // Both change the same file in different places, which git can merge.
    expect(await watch.look()).toEqual([])
    expect(await watch.look()).toEqual([])
    expect(trials).toBe(1)
  })

  it("sees a file where the other has a folder", async () => {
    await using scene = await prepare("sqlite")
    await scene.branch("w1", { d: "one\n" })
    await scene.branch("w2", { "d/e/x": "two\n" })
    expect(await scene.look()).toMatchObject([{ workers: ["w1", "w2"] }])
  })

  it("leaves out what is merged, and the integration branch itself", async () => {
    await using scene = await prepare("sqlite")
    await scene.branch("w1", { shared: "one\n" })
    await scene.branch("w2", { shared: "two\n" })
    await scene.set(
      "refs/heads/teamwork/house/main/integration",
      await scene.merges.find("teamwork/house/main/w1").then(String),
    )
    expect(await scene.look()).toEqual([])
  })
})

async function prepare(store: string) {
  const make = STORES[store]
  if (make === undefined) throw new Error(`no store ${store}`)
  const database = await make()
  const opened = await database.connect()
  await makeTeam(opened)
  const own = context(opened)
  const { merges, commit, set, ...repository } = await makeMergeRepository()
  const base = await commit([], { shared: "s\n", text: "a\nb\nc\nd\ne\n" })
  await set("refs/heads/main", base)
  await set("refs/heads/teamwork/house/main/integration", base)
  const watch = watchOverlaps(own, merges, TEAM)
  return {
    context: own,
    merges,
    set,
    look: () => watch.look(),
    branch: async (worker: string, files: Record<string, string>) =>
      set(`refs/heads/teamwork/house/main/${worker}`, await commit([base], files)),
    inbox: (inbox: string) => run(own, readMailbox, { inbox }),
    async [Symbol.asyncDispose]() {
      repository[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
