// Knowledge through the real command line: what one learned reaches another, and what does not hold is not told.
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"
import { prepareRepository } from "./command-cases.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

async function makeShop(goal = "Search page"): Promise<Bench> {
  const bench = makeBench()
  prepareRepository(bench)
  await bench.ok("project", "create", "--goal", goal)
  await bench.ok("task", "create", "--id", "1", "--title", "Endpoint for items", "--role", "backend")
  return bench
}

function writeSkill(root: string, name: string, description: string): void {
  const folder = join(root, ".claude", "skills", name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "SKILL.md"), `---\nname: ${name}\ndescription: ${description}\n---\n`)
}

describe("what one learned", () => {
  it("reaches the prompt of another, the most relevant first (R263)", async () => {
    using bench = await makeShop()
    await bench.ok("wisdom", "add", "Buttons are blue", "--by", "w1")
    await bench.ok("wisdom", "add", "Items have text ids", "--kind", "decision", "--by", "w2")
    await bench.ok("wisdom", "add", "items have TEXT ids.", "--kind", "decision", "--by", "w1")
    const { stdout } = await bench.run(["prompt", "1", "--agent", "claude"])
    expect(stdout).toContain(
      "- decision (by w2, said 2 times): Items have text ids\n- learning (by w1): Buttons are blue\n",
    )
    await bench.ok("wisdom", "remove", "2")
    expect((await bench.run(["prompt", "1", "--agent", "claude"])).stdout).not.toContain("Items have text ids")
    expect(await bench.refused("record.not_found", "wisdom", "remove", "7")).toContain("teamwork wisdom list")
  })
})

describe("an exploration", () => {
  const put = ["explore", "put", "--angle", "errors", "--summary", "All in a.txt", "--files", "a.txt"]

  it("holds until its files change, and tells why it does not any more (R264)", async () => {
    using bench = await makeShop()
    await bench.ok(...put)
    expect(await bench.ok("explore", "get", "Errors")).toMatchObject({ summary: "All in a.txt" })
    writeFileSync(join(bench.cwd, "other.txt"), "x")
    git(bench.cwd, "add", "--all")
    git(bench.cwd, "commit", "--quiet", "-m", "Other")
    await bench.ok("explore", "get", "errors")
    writeFileSync(join(bench.cwd, "a.txt"), "changed")
    expect(await bench.refused("exploration.not_found", "explore", "get", "errors")).toContain(
      "is out of date: files that are not committed changed",
    )
    git(bench.cwd, "commit", "--quiet", "-am", "Change")
    expect(await bench.refused("exploration.not_found", "explore", "get", "errors")).toContain(": a.txt changed;")
    expect(await bench.refused("input.invalid", ...put.slice(0, -1), ",")).toStartWith("--files is empty")
    expect(await bench.refused("exploration.not_found", "explore", "get", "tests")).toStartWith(
      'nothing is known of "tests"; explore it',
    )
  })

  it("that is corrupt is cleared and told", async () => {
    using bench = await makeShop()
    await bench.ok(...put)
    bench.tamper("update record set data = replace(data, 'All', 'None') where kind = 'exploration'")
    const { stdout, stderr } = await bench.run(["explore", "list", "--format", "table"])
    expect(stdout).toBe("No explorations.\n")
    expect(stderr).toBe('Warning: the exploration of "errors" was corrupt and has been removed\n')
    expect(bench.dump().record).toEqual([])
  })

  it("needs a repository", async () => {
    using bench = makeBench()
    await bench.ok("project", "create", "--goal", "x")
    expect(await bench.refused("workspace.no_repository", ...put)).toContain("repository")
  })
})

describe("skills", () => {
  it("that the goal names are mandatory for every task, and never come from an index (R240, R242)", async () => {
    using bench = await makeShop("A search page, with the house-style skill. 使用 browser-test 技能")
    writeSkill(bench.cwd, "api-design", "Designs an endpoint")
    const list = async () => (await bench.ok<Data[]>("skill", "list", "--task", "1")).map((each) => each.name)
    expect(await list()).toEqual(["api-design"])
    writeSkill(bench.home, "house-style", "How we write")
    expect(await list()).toEqual(["house-style", "api-design"])
    const { stderr } = await bench.run(["skill", "list", "--task", "1", "--format", "table"])
    expect(stderr).toBe("Warning: the skill browser-test is named, but agents here do not have it\n")
    const before = bench.dump()
    const { stdout } = await bench.run(["prompt", "1", "--agent", "claude"])
    expect(stdout).toContain("- house-style (the user asks for it: you must use it): How we write [/")
    expect(stdout).toContain("- api-design: Designs an endpoint [.claude/skills/api-design/SKILL.md]\n")
    expect(bench.dump()).toEqual(before)
  })

  it("are told only once they are approved where a person supervises (R241)", async () => {
    using bench = await makeShop()
    writeSkill(bench.cwd, "api-design", "Designs an endpoint")
    await bench.ok("project", "update", "--mode", "SUPERVISED", "--protocol", "none")
    await bench.ok("skill", "choose", "1", "--by", "w1")
    const prompt = async () => (await bench.run(["prompt", "1", "--agent", "claude"])).stdout
    expect(await prompt()).not.toContain("api-design")
    expect(await bench.refused("skill.not_allowed", "skill", "approve", "1", "--by", "w1")).toContain("only the lead")
    expect(await bench.refused("skill.not_found", "skill", "choose", "1", "--names", "api-desing")).toContain(
      "did you mean api-design?",
    )
    await bench.ok("skill", "approve", "1")
    expect(await prompt()).toContain("- api-design: Designs an endpoint")
  })
})

describe("all of it", () => {
  it("survives an export and an import", async () => {
    using bench = await makeShop()
    await bench.ok("wisdom", "add", "Ids are text")
    await bench.ok("explore", "put", "--angle", "errors", "--summary", "In a.txt", "--files", ".")
    await bench.ok("discuss", "open", "Blue or red")
    await bench.ok("discuss", "say", "1", "Blue", "--by", "w1")
    writeFileSync(join(bench.home, "note.md"), "A note\n")
    await bench.ok("artifact", "add", join(bench.home, "note.md"), "--task", "1")
    await bench.ok("artifact", "add", "a.txt", "--kind", "data")
    await bench.ok("export", "--to", join(bench.home, "out"))
    await bench.ok("project", "clean", "--purge")
    await bench.ok("import", join(bench.home, "out"))
    expect(await bench.ok<Data[]>("wisdom", "list")).toMatchObject([{ text: "Ids are text", count: 1 }])
    expect(await bench.ok("explore", "get", "errors")).toMatchObject({ summary: "In a.txt" })
    expect(await bench.ok("discuss", "show", "1")).toMatchObject({ statements: [{ round: 1, by: "w1" }] })
    expect(await bench.ok("artifact", "show", "1")).toMatchObject({ text: "A note\n", kept_in: "document" })
    await bench.ok("artifact", "export", "--to", "out")
    const original = readFileSync(join(bench.cwd, "a.txt"), "utf8")
    expect(readFileSync(join(bench.cwd, "out/2-a.txt"), "utf8")).toBe(original)
  })
})
