// Delivery to the target branch on real repositories: what moves, what stays, and how it is taken back.
import { describe, expect, it } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { noteDelivery, readDeliveries } from "../../src/delivery/target/delivery-records.ts"
import { findIntegration } from "../../src/git/integration.ts"
import { deliveredRef, integrationRef } from "../../src/kernel/branches.ts"
import { INTEGRATION, setUpDelivery } from "../support/delivery-setup.ts"
import { FIRST_RUN, refusal } from "../support/stores.ts"

describe("delivery", () => {
  it("moves the target and the files where it is checked out, and nothing of the user's", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", gone: "g\n", "run.sh": "x\n", ".gitignore": "*.log\n" })
    writeFileSync(join(scene.folder, "notes.txt"), "mine\n")
    writeFileSync(join(scene.folder, "debug.log"), "mine too\n")
    const to = await scene.integrate({
      "a.txt": "A\n",
      gone: null,
      "d/new": "n\n",
      "run.sh": { mode: "100755", content: "x\n" },
    })
    expect(await scene.deliver()).toMatchObject({
      target: "main",
      from: scene.base,
      to,
      isMoved: true,
      tookTargetIn: false,
    })
    expect(await scene.git.read(["rev-parse", "main"])).toBe(to)
    expect(scene.file("a.txt")).toBe("A\n")
    expect(scene.file("d/new")).toBe("n\n")
    expect(existsSync(join(scene.folder, "gone"))).toBe(false)
    expect([scene.file("notes.txt"), scene.file("debug.log")]).toEqual(["mine\n", "mine too\n"])
    expect(await scene.git.read(["status", "--porcelain"])).toBe("?? notes.txt")
    expect(await scene.events()).toEqual([["target.delivered", { target: "main", from: scene.base, to }]])
    expect(await scene.deliver()).toMatchObject({ isMoved: false, to })
  })

  it("moves a target that is checked out nowhere", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    await scene.git.read(["checkout", "--quiet", "-b", "elsewhere"])
    const to = await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    expect(await scene.git.read(["rev-parse", "main"])).toBe(to)
    expect(scene.file("a.txt")).toBe("a\n")
    expect(await scene.git.read(["status", "--porcelain"])).toBe("")
  })

  it("finds the target in a linked worktree, and only there the files move", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    await scene.git.read(["checkout", "--quiet", "--detach"])
    const linked = join(scene.folder, "../linked place")
    await scene.git.read(["worktree", "add", "--quiet", linked, "main"])
    await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    expect(readFileSync(join(linked, "a.txt"), "utf8")).toBe("A\n")
    expect(scene.file("a.txt")).toBe("a\n")
    writeFileSync(join(linked, "a.txt"), "dirty\n")
    await scene.integrate({ "a.txt": "B\n" })
    const { message } = await refusal(scene.deliver())
    expect(message).toContain(
      `run: git -C '${linked.replace("shop/../", "")}' merge --ff-only teamwork/house/main/integration`,
    )
  })

  it.each(["changed", "staged"])("leaves a checkout with %s files as it is, with the command to run", async (how) => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", b: "b\n" })
    await scene.integrate({ "a.txt": "A\n" })
    writeFileSync(join(scene.folder, "b"), "mine\n")
    if (how === "staged") await scene.git.read(["add", "b"])
    const refused = await refusal(scene.deliver())
    expect(refused.code).toBe("deliver.refused")
    expect(refused.message).toContain('has uncommitted changes: "b"; when that is done, run: git -C ')
    expect(await scene.git.read(["rev-parse", "main"])).toBe(scene.base)
    expect([scene.file("a.txt"), scene.file("b")]).toEqual(["a\n", "mine\n"])
    // And the command does what it says.
    await scene.git.read(["checkout", "--force", "HEAD", "--", "b"])
    const [program, ...args] = refused.details.command as string[]
    expect(program).toBe("git")
    await scene.git.read(args)
    expect(scene.file("a.txt")).toBe("A\n")
  })

  it.each([
    ["an untracked file", "new.txt", ""],
    ["an ignored file", "secret.env", "secret.env\n"],
    ["a file where a folder is to be", "d", "d\n"],
  ])("does not overwrite %s", async (_, path, ignored) => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", ".gitignore": ignored })
    writeFileSync(join(scene.folder, path), "mine\n")
    await scene.integrate({ "a.txt": "A\n", [path === "d" ? "d/x" : path]: "theirs\n" })
    expect(await refusal(scene.deliver())).toMatchObject({ code: "deliver.refused", details: { paths: [path] } })
    expect([scene.file(path), scene.file("a.txt")]).toEqual(["mine\n", "a\n"])
    expect(await scene.git.read(["rev-parse", "main"])).toBe(scene.base)
  })

  it.each(["merge", "rebase", "bisect"])("waits for a %s of the target", async (what) => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    await scene.integrate({ b: "b\n" })
    const other = await scene.commit([scene.base], { "a.txt": "other\n" })
    const mine = await scene.commit([scene.base], { "a.txt": "mine\n" })
    await scene.git.read(["reset", "--quiet", "--hard", mine])
    if (what === "bisect") await scene.git.read(["bisect", "start", mine, scene.base])
    else expect((await scene.git.run([what, other])).exitCode).not.toBe(0)
    await scene.git.run(["checkout", "--quiet", "--ours", "a.txt"])
    scene.allowAnything()
    expect((await refusal(scene.deliver())).message).toMatch(
      /(merge|rebase or bisect of main) is in progress in|uncommitted/,
    )
    expect(await scene.git.read(["rev-parse", "main"])).toBe(mine)
  })

  it("takes a target in that has moved meanwhile, and has it tested first", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", b: "b\n" })
    const tip = await scene.integrate({ "a.txt": "A\n" })
    await scene.userCommits({ b: "B\n" })
    const tested: string[] = []
    const report = await scene.deliver({
      finalGate: async (commit) => {
        tested.push(commit)
        expect(await scene.git.read(["rev-parse", INTEGRATION])).toBe(tip)
        scene.pass(commit)
      },
    })
    expect(report).toMatchObject({ isMoved: true, tookTargetIn: true })
    expect(tested).toEqual([report.to])
    expect([scene.file("a.txt"), scene.file("b")]).toEqual(["A\n", "B\n"])
    expect(await scene.git.read(["rev-parse", INTEGRATION])).toBe(report.to)
  })

  it("moves neither branch when that fails the gate", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", b: "b\n" })
    const tip = await scene.integrate({ "a.txt": "A\n" })
    const mine = await scene.userCommits({ b: "B\n" })
    const refused = await refusal(scene.deliver({ finalGate: async (commit) => scene.fail(commit) }))
    expect(refused).toMatchObject({ code: "deliver.refused", message: "the final gate failed: tests failed" })
    expect(await scene.git.read(["rev-parse", INTEGRATION, "main"])).toBe(`${tip}\n${mine}`)
  })

  it("without a gate to ask leaves the merged branch to be tested, and delivers it then", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", b: "b\n" })
    await scene.integrate({ "a.txt": "A\n" })
    await scene.userCommits({ b: "B\n" })
    expect((await refusal(scene.deliver())).message).toContain("run: teamwork verify final")
    scene.pass(await scene.git.read(["rev-parse", INTEGRATION]))
    expect(await scene.deliver()).toMatchObject({ isMoved: true })
    expect([scene.file("a.txt"), scene.file("b")]).toEqual(["A\n", "B\n"])
  })

  it("names what does not fit when a target has moved", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    await scene.integrate({ "a.txt": "A\n" })
    const mine = await scene.userCommits({ "a.txt": "mine\n" })
    expect(await refusal(scene.deliver())).toMatchObject({ code: "deliver.refused", details: { paths: ["a.txt"] } })
    expect(await scene.git.read(["rev-parse", "main"])).toBe(mine)
  })

  it("needs a passed final verdict on the very files", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    const first = await scene.integrate({ "a.txt": "A\n" }, { isGreen: false })
    expect((await refusal(scene.deliver())).message).toContain(`has not looked at ${first.slice(0, 10)}`)
    scene.pass(first)
    const second = await scene.integrate({ "a.txt": "B\n" }, { isGreen: false })
    expect((await refusal(scene.deliver())).message).toContain(
      `was of ${first.slice(0, 10)}, not of ${second.slice(0, 10)}`,
    )
    scene.pass(second)
    scene.fail(second)
    expect((await refusal(scene.deliver())).message).toBe("the final gate failed: tests failed")
    expect(await scene.git.read(["rev-parse", "main"])).toBe(scene.base)
    scene.pass(await scene.merges.tree(second))
    expect(await scene.deliver()).toMatchObject({ isMoved: true, to: second })
  })

  it("says so when nothing was merged", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" }, { hasIntegration: false })
    expect(await refusal(scene.deliver())).toMatchObject({ code: "merge.no_branch" })
  })

  it("pushes to a real remote, and tells when that refuses", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    expect(await scene.targets.findRemote("main")).toBeUndefined()
    const remote = join(scene.folder, "../remote.git")
    await scene.git.read(["init", "--quiet", "--bare", "--", remote])
    await scene.git.read(["remote", "add", "--", "my-server", remote])
    expect(await scene.targets.findRemote("main")).toEqual({ name: "my-server", url: remote })
    await scene.targets.push("my-server", "main")
    expect(await scene.git.in(remote).read(["rev-parse", "main"])).toBe(scene.base)
    await scene.git.in(remote).read(["update-ref", "refs/heads/main", await scene.commitIn(remote)])
    const refused = await refusal(scene.targets.push("my-server", "main"))
    expect(refused).toMatchObject({ code: "deliver.failed", message: expect.stringContaining("rejected") })
  })
})

describe("undo", () => {
  it("returns the target, and the files where it is checked out, to where they were", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", gone: "g\n" })
    writeFileSync(join(scene.folder, "notes.txt"), "mine\n")
    const to = await scene.integrate({ "a.txt": "A\n", gone: null, new: "n\n" })
    await scene.deliver()
    expect(await scene.undo()).toEqual({ target: "main", from: to, to: scene.base })
    expect(await scene.git.read(["rev-parse", "main"])).toBe(scene.base)
    expect([scene.file("a.txt"), scene.file("gone"), scene.file("notes.txt")]).toEqual(["a\n", "g\n", "mine\n"])
    expect(existsSync(join(scene.folder, "new"))).toBe(false)
    expect(await scene.git.read(["status", "--porcelain"])).toBe("?? notes.txt")
    expect(await scene.git.read(["rev-parse", deliveredRef(FIRST_RUN, 1, "undone")])).toBe(to)
    expect((await scene.events()).map(([type]) => type)).toEqual(["target.delivered", "target.undone"])
    expect(await refusal(scene.undo())).toMatchObject({ code: "merge.nothing" })
    expect(await scene.deliver()).toMatchObject({ isMoved: true, to })
    expect((await readDeliveries(scene.merges, FIRST_RUN)).last).toMatchObject({ number: 2 })
  })

  it("takes back one delivery at a time", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    const first = await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    await scene.integrate({ "a.txt": "B\n" })
    await scene.deliver()
    await scene.undo()
    expect(await scene.git.read(["rev-parse", "main"])).toBe(first)
    await scene.undo()
    expect(await scene.git.read(["rev-parse", "main"])).toBe(scene.base)
  })

  it("refuses when the target has gone on, and its advice works", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", b: "b\n" })
    await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    await scene.userCommits({ b: "B\n" })
    const { code, message } = await refusal(scene.undo())
    expect(code).toBe("deliver.refused")
    const command = /with: (git diff .+)$/.exec(message)?.[1] ?? ""
    expect(Bun.spawnSync(["sh", "-c", command], { cwd: scene.folder }).exitCode).toBe(0)
    expect([scene.file("a.txt"), scene.file("b")]).toEqual(["a\n", "B\n"])
  })

  it("does not touch changed files, nor what has come where a file goes back to", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n", gone: "g\n" })
    const to = await scene.integrate({ "a.txt": "A\n", gone: null, ".gitignore": "gone\n" })
    await scene.deliver()
    writeFileSync(join(scene.folder, "gone"), "mine\n")
    expect(await refusal(scene.undo())).toMatchObject({ code: "deliver.refused", details: { paths: ["gone"] } })
    writeFileSync(join(scene.folder, "a.txt"), "changed\n")
    expect((await refusal(scene.undo())).message).toContain("uncommitted")
    expect(await scene.git.read(["rev-parse", "main"])).toBe(to)
    expect(scene.file("gone")).toBe("mine\n")
  })

  it("knows nothing of a delivery that was refused", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    await scene.integrate({ new: "n\n" })
    writeFileSync(join(scene.folder, "new"), "mine\n")
    await refusal(scene.deliver())
    expect(await scene.undo()).toMatchObject({ to: scene.base })
    expect(scene.file("new")).toBe("mine\n")
  })

  it("of a delivery that was interrupted before it came takes no earlier one back", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    const first = await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    const second = await scene.integrate({ "a.txt": "B\n" })
    await noteDelivery(scene.merges, FIRST_RUN, { target: "main", before: first, after: second })
    expect(await scene.undo()).toMatchObject({ from: first, to: first })
    expect(await scene.git.read(["rev-parse", "main"])).toBe(first)
  })
})

describe("the refs of ours", () => {
  const symbolic = (scene: Awaited<ReturnType<typeof setUpDelivery>>) =>
    scene.git.read(["for-each-ref", "--format=%(refname) %(symref)", "refs/teamwork/"]).then((lines) =>
      lines
        .split("\n")
        .filter((line) => line.includes(" refs/"))
        .map((line) => line.split(" ")[0]),
    )

  it("F122: are never symbolic, so deleting all of them leaves every branch of the user's", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    const to = await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    expect(await symbolic(scene)).toEqual([])
    await scene.git.read(["gc", "--quiet", "--prune=now"])
    expect((await readDeliveries(scene.merges, FIRST_RUN)).last).toMatchObject({ target: "main", after: to })
    const ours = (await scene.git.read(["for-each-ref", "--format=%(refname)", "refs/teamwork/"])).split("\n")
    expect(ours.filter((ref) => ref.endsWith("/target"))).toHaveLength(2)
    for (const ref of ours) await scene.git.read(["update-ref", "-d", ref])
    expect(await scene.git.read(["rev-parse", "main"])).toBe(to)
    expect(await scene.git.read(["reflog", "show", "main"])).not.toBe("")
    const { message } = await refusal(scene.deliver())
    expect(message).toContain("nothing is merged yet")
  })

  it("F122: that an earlier version made symbolic are read, and replaced at the first use", async () => {
    await using scene = await setUpDelivery({ "a.txt": "a\n" })
    const old = [integrationRef(FIRST_RUN, "target"), deliveredRef(FIRST_RUN, 1, "target")]
    const later = integrationRef({ ...FIRST_RUN, run: 2 }, "target")
    for (const ref of [...old, later]) await scene.git.read(["symbolic-ref", ref, "refs/heads/main"])
    expect((await findIntegration(scene.merges, FIRST_RUN))?.target).toBe("main")
    expect(await scene.merges.find(old[0] ?? "")).toBe(scene.base)
    expect(await symbolic(scene)).toHaveLength(3)
    const to = await scene.integrate({ "a.txt": "A\n" })
    await scene.deliver()
    expect(await symbolic(scene)).toEqual([])
    expect(await scene.git.read(["rev-parse", "main"])).toBe(to)
    expect(await scene.merges.findNamed(later)).toBe("refs/heads/main")
    expect(await scene.merges.find(old[0] ?? "")).toBe(to)
  })
})
