// Where a team's work starts from: the target as it is now, without anything of a team that counts no more.
import { afterEach, describe, expect, it } from "bun:test"
import { type RenewPorts, renewAround, renewIntegration } from "../../src/delivery/merge-queue/renew-integration.ts"
import { assertTarget, ensureIntegration } from "../../src/git/integration.ts"
import { branchRef, integrationBranch, integrationRef, teamRefs } from "../../src/kernel/branches.ts"
import { cleanTeam } from "../../src/teams/operations/clean-team.ts"
import { takeLead } from "../../src/teams/operations/lead-team.ts"
import { makeMergeRepository } from "../support/merge-repository.ts"
import { context as contextOf, FIRST_RUN, makeTeam, refusalCode, run, STORES, TEAM } from "../support/stores.ts"

const INTEGRATION = branchRef(integrationBranch(TEAM))
const opened: Disposable[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each[Symbol.dispose]()
})

describe("an integration branch without work of its own", () => {
  it("goes to where the target is, and begins there", async () => {
    const scene = await prepare()
    const mine = await scene.commitOnMain("mine")
    await scene.renew()
    expect(await scene.at(INTEGRATION)).toBe(mine)
    expect(await scene.at(integrationRef(FIRST_RUN, "start"))).toBe(mine)
  })

  it("stays where it is checked out, as its files would be left behind", async () => {
    const scene = await prepare()
    await scene.git.read(["worktree", "add", "--quiet", "../looking", integrationBranch(TEAM)])
    await scene.commitOnMain("mine")
    await scene.renew()
    expect(await scene.at(INTEGRATION)).toBe(scene.base)
  })

  it("stays for a command by hand while somebody leads", async () => {
    const scene = await prepare()
    await scene.commitOnMain("mine")
    await takeLead(scene.context, { ...TEAM, holder: "h", leaseMs: 60_000, settings: "{}", isGone: () => false })
    const work = async () => scene.at(INTEGRATION)
    expect(await renewAround(scene.context, scene.ports, { ...TEAM, work })).toMatchObject({ result: scene.base })
  })
})

it("a target that is named is enough where what is checked out has no commit", async () => {
  const { git, ports } = await prepare()
  const later = { project: TEAM.project, team: "later", run: 1 }
  await git.read(["checkout", "--quiet", "--orphan", "new"])
  expect(await refusalCode(assertTarget(ports.merges, later))).toBe("workspace.no_commit")
  await assertTarget(ports.merges, later, "main")
})

describe("an integration branch with merged work", () => {
  it("stays, whatever the target does", async () => {
    const scene = await prepare()
    const merged = await scene.integrate("work")
    await scene.commitOnMain("mine")
    expect(await scene.renew()).toEqual([])
    expect(await scene.at(INTEGRATION)).toBe(merged)
  })

  it("is taken for this team's where nothing says whose it is", async () => {
    const scene = await prepare({ isMarked: false })
    const merged = await scene.integrate("work")
    await scene.renew()
    expect(await scene.at(INTEGRATION)).toBe(merged)
  })

  it("is set aside once when the team was cleaned, however many begin at the same moment", async () => {
    const scene = await prepare()
    const merged = await scene.integrate("work")
    await scene.clean()
    const told = await Promise.all([scene.renew(), scene.renew(), scene.renew()])
    expect(told.flat()).toHaveLength(1)
    expect(await scene.at(INTEGRATION)).toBeUndefined()
    const refs = await scene.merges.refs(`${teamRefs(FIRST_RUN)}/workers`)
    expect([...refs]).toEqual([[`${teamRefs(FIRST_RUN)}/workers/integration/1/head`, merged]])
    // The next one begins on the target, and is this run's.
    await ensureIntegration(scene.merges, { ...TEAM, run: 2 })
    const again = await scene.integrate("again")
    expect(await scene.renew()).toEqual([])
    expect(await scene.at(INTEGRATION)).toBe(again)
  })

  it("is not taken away from whoever has it checked out", async () => {
    const scene = await prepare()
    const merged = await scene.integrate("work")
    await scene.git.read(["worktree", "add", "--quiet", "../looking", integrationBranch(TEAM)])
    await scene.clean()
    expect(await refusalCode(scene.renew())).toBe("branch.exists")
    expect(await scene.at(INTEGRATION)).toBe(merged)
    await scene.git.read(["worktree", "remove", "../looking"])
    expect(await scene.renew()).toHaveLength(1)
  })
})

async function prepare({ isMarked = true } = {}) {
  const repository = await makeMergeRepository("renew")
  opened.push(repository)
  const database = await STORES.sqlite?.()
  if (database === undefined) throw new Error("no store")
  const store = await database.connect()
  await makeTeam(store)
  const context = contextOf(store)
  const { git, merges, targets, commit, set } = repository
  const base = await commit([], { "a.txt": "a\n" })
  await set("refs/heads/main", base)
  await git.read(["reset", "--quiet", "--hard", "main"])
  await ensureIntegration(merges, FIRST_RUN)
  const ports: RenewPorts = {
    merges,
    targets,
    workspaces: { list: async () => [], disown: async () => undefined, follow: async () => undefined },
  }
  const renew = () => renewIntegration(context, ports, TEAM)
  if (isMarked) await renew()
  const grow = async (ref: string, path: string) => {
    const made = await commit([await git.read(["rev-parse", ref])], { [path]: "x\n" })
    await set(ref, made)
    return made
  }
  return {
    ...{ base, git, merges, context, ports, renew },
    at: (ref: string) => merges.find(ref),
    commitOnMain: (path: string) => grow("refs/heads/main", path),
    integrate: (path: string) => grow(INTEGRATION, path),
    clean: () => run(context, cleanTeam, { ...TEAM, force: true }),
  }
}
