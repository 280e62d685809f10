// Explorations, artifacts and skills on real files and real git (R240-R242, R264).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { claude } from "../../src/agents/claude/program.ts"
import { openGateRepository } from "../../src/git/gate-repository.ts"
import { MOST_BYTES_IN_STORE } from "../../src/knowledge/artifact.ts"
import { exportArtifacts, keepFile, readArtifact } from "../../src/knowledge/effects/artifact-files.ts"
import {
  type ExplorePorts,
  exploreWith,
  getExploration,
  listExplorations,
  putExploration,
} from "../../src/knowledge/effects/explore.ts"
import { findSkills } from "../../src/knowledge/effects/find-skills.ts"
import { readExplorations } from "../../src/knowledge/operations/explorations.ts"
import { listWisdom } from "../../src/knowledge/operations/keep-wisdom.ts"
import type { Context } from "../../src/store/operation.ts"
import { createTask } from "../../src/tasks/operations/create-task.ts"
import { updateTeam } from "../../src/teams/operations/update-team.ts"
import { fixtureAgent } from "../support/agents.ts"
import { makeRepository, type Repository } from "../support/repository.ts"
import { makeScratch } from "../support/sandbox.ts"
import { context, makeTeam, refusal, run, STORES, TEAM } from "../support/stores.ts"
import { setUpWorker } from "../support/worker.ts"
import { WORKSPACE_TEAM } from "../support/workspaces.ts"

setDefaultTimeout(30_000)

interface World extends AsyncDisposable {
  readonly repository: Repository
  readonly ctx: Context
  readonly ports: ExplorePorts
  /** Like `exploreWith`, and counts how often somebody was asked. */
  explore(
    angle: string,
    paths?: readonly string[],
    meanwhile?: () => void,
  ): Promise<{ asked: number; findings: unknown }>
}

async function makeWorld({
  hasTeam = true,
  files = { "src/a.ts": "1\n", "src/b.ts": "2\n", "docs/a.md": "x\n" },
} = {}): Promise<World> {
  const repository = makeRepository({ files })
  const database = await (STORES.sqlite as NonNullable<typeof STORES.sqlite>)()
  const store = await database.connect()
  if (hasTeam) await makeTeam(store)
  const ctx = context(store)
  const gates = await openGateRepository(repository.git, { home: "/nowhere", prepare: async () => undefined })
  const ports = { ...TEAM, repository: gates, hasStore: async () => true, openContext: async () => ctx }
  let count = 0
  return {
    ...{ repository, ctx, ports },
    async explore(angle, paths = ["."], meanwhile = () => {}) {
      const before = count
      const { findings } = await exploreWith(ports, {
        ...{ angle, paths, by: "w1" },
        async ask() {
          count++
          meanwhile()
          return { summary: "looked", findings: { look: count } }
        },
      })
      return { asked: count - before, findings }
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      repository[Symbol.dispose]()
    },
  }
}

describe("an exploration", () => {
  it("costs one question while what it read is the same, and one more when it is not (R264)", async () => {
    await using world = await makeWorld()
    const { repository, explore } = world
    expect(await explore("errors", ["src"])).toEqual({ asked: 1, findings: { look: 1 } })
    expect(await explore("Errors!", ["src"])).toEqual({ asked: 0, findings: { look: 1 } })
    repository.commit("Elsewhere", { "docs/a.md": "y\n" })
    expect((await explore("errors", ["src"])).asked).toBe(0)
    repository.commit("There", { "src/b.ts": "3\n" })
    expect(await explore("errors", ["src"])).toEqual({ asked: 1, findings: { look: 2 } })
    repository.commit("Back", { "src/b.ts": "2\n" })
    expect((await explore("errors", ["src"])).asked).toBe(1)
    expect((await explore("tests", ["src"])).asked).toBe(1)
  })

  it("goes by what is not committed as well", async () => {
    await using world = await makeWorld()
    const { repository, explore } = world
    expect((await explore("all")).asked).toBe(1)
    repository.write({ "src/new.ts": "n\n" })
    symlinkSync("/nowhere", join(repository.path, "link"))
    expect((await explore("all")).asked).toBe(1)
    expect((await explore("all")).asked).toBe(0)
    repository.write({ "src/new.ts": "m\n" })
    expect((await explore("all")).asked).toBe(1)
    repository.write({ "src/new.ts": null, "src/a.ts": null })
    expect((await explore("all")).asked).toBe(1)
    expect((await explore("docs", ["docs"])).asked).toBe(1)
    repository.write({ "src/b.ts": "9" })
    expect((await explore("docs", ["docs"])).asked).toBe(0)
  })

  it("of files that changed meanwhile, or are in no commit, is not kept", async () => {
    await using world = await makeWorld()
    const { repository, explore, ctx } = world
    expect((await explore("errors", ["src"], () => repository.write({ "src/a.ts": "5\n" }))).asked).toBe(1)
    expect((await readExplorations(ctx, TEAM)).explorations).toEqual([])
    using empty = makeRepository({ files: null })
    const gates = await openGateRepository(empty.git, { home: "/nowhere", prepare: async () => undefined })
    const ask = async () => ({ summary: "", findings: 1 })
    const request = { angle: "x", paths: ["."], by: "w1", ask }
    for (const repositoryHere of [gates, undefined])
      expect((await exploreWith({ ...world.ports, repository: repositoryHere }, request)).isKnown).toBe(false)
    expect((await readExplorations(ctx, TEAM)).explorations).toEqual([])
  })

  it("of a team that is not there yet is kept once it is", async () => {
    await using world = await makeWorld({ hasTeam: false })
    const ask = async () => ({ summary: "looked", findings: 7 })
    const request = { angle: "errors", paths: ["."], by: "planner", ask }
    const explored = await exploreWith(world.ports, request)
    expect(explored).toMatchObject({ isKnown: false, findings: 7 })
    await explored.keep()
    await makeTeam(world.ctx.store)
    await explored.keep()
    await explored.keep()
    expect(await exploreWith(world.ports, request)).toMatchObject({ isKnown: true, findings: 7 })
  })

  it("by hand names the files it read, and tells why it does not hold any more", async () => {
    await using world = await makeWorld()
    const { ctx, repository } = world
    const gates = world.ports.repository
    if (gates === undefined) throw new Error("no repository")
    const given = { ...TEAM, angle: "Errors", summary: "In src", by: "w1" }
    const files = ["./src/a.ts", "docs/", join(repository.path, "src/b.ts")]
    const kept = await putExploration(ctx, gates, { ...given, files })
    expect(Object.keys(kept.files)).toEqual(["src/a.ts", "docs", "src/b.ts"])
    expect(kept.commit).toBe(repository.run("rev-parse", "HEAD"))
    expect((await getExploration(ctx, gates, { ...TEAM, angle: "errors" })).summary).toBe("In src")
    repository.commit("There", { "src/b.ts": "3\n" })
    expect((await refusal(getExploration(ctx, gates, { ...TEAM, angle: "errors" }))).message).toBe(
      'the exploration of "errors" is out of date: src/b.ts changed; explore it, and keep it with: teamwork explore put --angle errors --summary TEXT --files FILES',
    )
    expect((await listExplorations(ctx, gates, TEAM)).explorations).toMatchObject([{ stale: "src/b.ts changed" }])
    const wrong = async (file: string) =>
      (await refusal(putExploration(ctx, gates, { ...given, files: [file] }))).message
    expect(await wrong("src/none.ts")).toBe('"src/none.ts" is not committed; commit it first, or leave it out')
    expect(await wrong("../x")).toContain("is not in the repository")
    expect(await wrong("/etc/passwd")).toContain("is not in the repository")
  })
})

describe("an artifact", () => {
  const BINARY = Uint8Array.from([0, 255, 1, 254])

  it("that is committed as it is stays in its commit; another is kept by the store, byte by byte", async () => {
    await using world = await makeWorld()
    const { ctx, repository } = world
    const find = async () => world.ports.repository
    const at = (name: string) => join(repository.path, name)
    const commit = repository.run("rev-parse", "HEAD")
    const code = await keepFile(ctx, find, { ...TEAM, file: at("src/a.ts"), by: "w1" })
    expect(code).toMatchObject({
      number: 1,
      kind: "code",
      name: "a.ts",
      keptIn: "commit",
      commit,
      path: "src/a.ts",
      size: 2,
    })
    repository.write({ "src/a.ts": "changed\n" })
    const changed = await keepFile(ctx, find, { ...TEAM, file: at("src/a.ts") })
    expect(changed).toMatchObject({ number: 2, keptIn: "document", commit, path: "src/a.ts" })
    using elsewhere = makeScratch()
    const data = join(elsewhere.path, "d.bin")
    writeFileSync(data, BINARY)
    expect(await keepFile(ctx, find, { ...TEAM, file: data, kind: "data" })).toMatchObject({ path: null, size: 4 })
    repository.commit("Later")
    const read = async (number: number) => readArtifact(ctx, find, { ...TEAM, number })
    expect((await read(1)).text).toBe("1\n")
    expect((await read(2)).text).toBe("changed\n")
    expect(await read(3)).toMatchObject({ bytes: Buffer.from(BINARY), text: undefined })

    const folder = join(elsewhere.path, "out/deep")
    const files = await exportArtifacts(ctx, find, { ...TEAM, folder })
    expect(files).toEqual(["1-a.ts", "2-a.ts", "3-d.bin", "artifacts.json"])
    expect(readFileSync(join(folder, "1-a.ts"), "utf8")).toBe("1\n")
    expect(readFileSync(join(folder, "3-d.bin"))).toEqual(Buffer.from(BINARY))
    const [index] = JSON.parse(readFileSync(join(folder, "artifacts.json"), "utf8"))
    expect(index).toMatchObject({ file: "1-a.ts", commit, path: "src/a.ts", sha256: code.sha256 })
    await exportArtifacts(ctx, find, { ...TEAM, folder })
    writeFileSync(join(folder, "2-a.ts"), "mine")
    expect((await refusal(exportArtifacts(ctx, find, { ...TEAM, folder }))).code).toBe("export.foreign_files")
    expect(readFileSync(join(folder, "2-a.ts"), "utf8")).toBe("mine")
  })

  it("that is too large for the store is taken once it is committed", async () => {
    await using world = await makeWorld()
    const { ctx, repository } = world
    const find = async () => world.ports.repository
    const file = join(repository.path, "big.csv")
    repository.write({ "big.csv": "x".repeat(MOST_BYTES_IN_STORE + 1) })
    const refused = await refusal(keepFile(ctx, find, { ...TEAM, file }))
    expect(refused.message).toEndWith("and the store keeps at most 262144; commit it and add it again")
    repository.commit("Big")
    expect(await keepFile(ctx, find, { ...TEAM, file })).toMatchObject({ keptIn: "commit", kind: "data" })
    expect((await refusal(keepFile(ctx, find, { ...TEAM, file: `${file}x` }))).code).toBe("artifact.unreadable")
    expect((await refusal(keepFile(ctx, find, { ...TEAM, file: repository.path }))).code).toBe("artifact.unreadable")
  })

  it("that is not what it was, or not to be had, is not passed on", async () => {
    await using world = await makeWorld()
    const { ctx, repository } = world
    const find = async () => world.ports.repository
    await keepFile(ctx, find, { ...TEAM, file: join(repository.path, "src/a.ts") })
    const missing = await refusal(readArtifact(ctx, async () => undefined, { ...TEAM, number: 1 }))
    expect(missing.code).toBe("artifact.unreadable")
    repository.write({ "note.md": "true" })
    await keepFile(ctx, find, { ...TEAM, file: join(repository.path, "note.md") })
    await ctx.store.write(async (tx) => {
      const key = (await tx.teams.find(TEAM))?.key ?? 0
      await tx.documents.put(key, { path: "artifacts/2-note.md", content: "false", encoding: "utf8", by: "w2" })
    })
    expect((await refusal(readArtifact(ctx, find, { ...TEAM, number: 2 }))).code).toBe("artifact.changed")
  })
})

function writeSkill(root: string, path: string, front: string): void {
  const file = join(root, path, "SKILL.md")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `---\n${front}\n---\n# How\n`)
}

describe("skills", () => {
  it("are those that repository and home have now; the repository's come first (R242)", () => {
    using scratch = makeScratch()
    const roots = { repository: join(scratch.path, "repository"), home: join(scratch.path, "home") }
    const names = () => findSkills(roots).skills.map(({ name, origin, path }) => [name, origin, path])
    expect(names()).toEqual([])
    writeSkill(roots.home, ".claude/skills/pdf", "name: pdf\ndescription: of the user")
    expect(names()).toEqual([["pdf", "home", join(roots.home, ".claude/skills/pdf/SKILL.md")]])
    writeSkill(roots.repository, ".agents/skills/pdf", "name: pdf\ndescription: of the repository")
    writeSkill(roots.repository, ".claude/skills/api", "name: api-design\ndescription: endpoints")
    writeSkill(roots.repository, ".claude/skills/odd", "description: without a name")
    mkdirSync(join(roots.repository, ".claude/skills/empty"))
    expect(names()).toEqual([
      ["api-design", "repository", ".claude/skills/api/SKILL.md"],
      ["pdf", "repository", ".agents/skills/pdf/SKILL.md"],
    ])
    const { warnings } = findSkills(roots)
    expect(warnings).toEqual([
      `${join(roots.repository, ".claude/skills/odd/SKILL.md")} is not a skill: name: a skill needs a name of at most 100 characters`,
    ])
  })

  it("are chosen when a worker takes a task, written down, and told to its agent (R241)", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    const prompts: string[] = []
    const { runAgent } = world.ports()
    const ports = {
      runAgent(request: Parameters<typeof runAgent>[0]) {
        prompts.push(request.job.prompt)
        writeFileSync(join(request.job.workspace, "b.txt"), `${prompts.length}\n`)
        return runAgent(request)
      },
    }
    writeSkill(world.git.repository.path, ".claude/skills/api", "name: api-design\ndescription: Designs endpoints")
    writeSkill(world.home, ".claude/skills/css", "name: styling\ndescription: CSS of pages")
    await world.create("1", { description: "Add the endpoint with the styling skill. [[hello]]", files: ["b.txt"] })
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    const path = join(world.home, ".claude/skills/css/SKILL.md")
    expect(prompts[0]).toContain(`# SKILLS

Before you begin, read the file of each skill that helps, and follow it.
- styling (the user asks for it: you must use it): CSS of pages [${path}]
- api-design: Designs endpoints [.claude/skills/api/SKILL.md]
`)
    const records = await world.context.store.read((tx) => tx.records.list(world.key, { kind: "skill" }))
    expect(records.map(({ taskId, attempt, status, by, data }) => [taskId, attempt, status, by, data.name])).toEqual([
      ["1", 1, "approved", "w1", "styling"],
      ["1", 1, "approved", "w1", "api-design"],
    ] as never)

    await run(world.context, updateTeam, { ...WORKSPACE_TEAM, mode: "SUPERVISED", protocol: "none" })
    await run(world.context, createTask, {
      ...{ ...WORKSPACE_TEAM, id: "2", title: "Another endpoint", check: ["true"], files: ["b.txt"] },
      description: "Use the web-testing skill. [[hello]]",
    })
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["2"] })
    expect(prompts[1]).not.toContain("api-design")
    expect(prompts[1]).toContain(
      "- web-testing: the user asks for it, but it is not installed. Report that in your result.",
    )
    expect(world.said).toContain("Task 2: the skill web-testing is required, but not installed")
  })
})

describe("what an agent says that others should know", () => {
  it("is written down when its work is delivered, and told to the next (R263)", async () => {
    await using world = await setUpWorker({ agents: [fixtureAgent(claude)] })
    const prompts: string[] = []
    const { runAgent } = world.ports()
    const ports = {
      mask: (text: string) => text.replaceAll("s3cret", "***"),
      async runAgent(request: Parameters<typeof runAgent>[0]) {
        prompts.push(request.job.prompt)
        writeFileSync(join(request.job.workspace, `${request.run}.txt`), "x\n")
        const result = await runAgent(request)
        return { ...result, answer: `${result.answer}\n\nLEARNED: the key is s3cret\n- DECIDED: ids are text` }
      },
    }
    for (const id of ["1", "2"]) await world.create(id, { description: "[[hello]]", files: [`${id}-*.txt`] })
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["1"] })
    expect(await world.work({}, ports)).toMatchObject({ delivered: ["2"] })
    expect(prompts[0]).toContain("`LEARNED: ...`, `DECIDED: ...` or `ISSUE: ...`")
    expect(prompts[0]).not.toContain("WHAT THE TEAM LEARNED")
    expect(prompts[1]).toContain(
      "- decision (by w1, task 1): ids are text\n- learning (by w1, task 1): the key is ***\n",
    )
    const all = await run(world.context, listWisdom, WORKSPACE_TEAM)
    expect(all.map(({ kind, text, count }) => [kind, text, count])).toEqual([
      ["learning", "the key is ***", 2],
      ["decision", "ids are text", 2],
    ])
  })
})
