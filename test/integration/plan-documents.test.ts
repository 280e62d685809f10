// Plans as people write them, in YAML and in Markdown: what they say, and where exactly something is wrong.
import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import Ajv from "ajv/dist/2020.js"
import fc from "fast-check"
import { AppError } from "../../src/kernel/errors.ts"
import { answerSchema, planJsonSchema } from "../../src/planning/plan-schema.ts"
import { loadPlan } from "../../src/planning/planner/load-plan.ts"
import { readMarkdown } from "../../src/planning/planner/markdown-document.ts"
import { writePlan } from "../../src/planning/planner/write-plan.ts"
import { readYaml } from "../../src/planning/planner/yaml-document.ts"
import { PLAN_FACTS, planOf } from "../support/plans.ts"

const load = (name: string, text: string) => loadPlan({ name, text }, PLAN_FACTS)

async function faultsOf(name: string, text: string): Promise<string[]> {
  try {
    await load(name, text)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { lines } = error.details as { lines: string[] }
    return lines.length === 0 ? [error.message] : lines
  }
}

describe("YAML", () => {
  it("names line, column and field, whatever is wrong", async () => {
    const text = [
      "goal: Shop", // 1
      "schedule: soon", // 2
      "tasks:", // 3
      "  - id: 1", // 4
      "    title: One", // 5
      "    needs: [2, 33]", // 6
      "  - {id: 2, title: Two, needs: 1x}", // 7
      "  - id: 3", // 8
      "    title: Three", // 9
      "    files:", // 10
      "      - src/**", // 11
      "      - /package.json", // 12
      "", // 13
    ].join("\n")
    expect(await faultsOf("plan.yml", text)).toEqual([
      'plan.yml:2:1: schedule: "soon" is not one of waves, eager',
      'plan.yml:6:16: tasks[0].needs: "33" is no task of this plan; did you mean "3"?',
      'plan.yml:7:25: tasks[1].needs: "1x" is no task of this plan; did you mean "1"?',
      'plan.yml:12:9: tasks[2].files: "/package.json" is not valid: write the path from the repository\'s root, as src/api/**',
    ])
  })

  it.each([
    ["goal: [", "plan.yml:1:8: "],
    ["goal: g\ngoal: h", "plan.yml:2:1: Map keys must be unique"],
    ["goal: g\n---\ngoal: h", "plan.yml:2:1: Source contains multiple documents"],
    ["goal: !!js/function x", "plan.yml:1:7: Unresolved tag: tag:yaml.org,2002:js/function"],
    ["goal: *x", "plan.yml:1:7: Unresolved alias"],
    ["", "plan.yml:1:1: is not a plan; it needs a goal and tasks, see docs/plans.md"],
    ["just words", "plan.yml:1:1: is not a plan"],
  ])("%j is no plan", async (text, fault) => {
    expect((await faultsOf("plan.yml", text))[0]).toStartWith(fault)
  })

  it("does not let aliases grow without end", async () => {
    const bomb = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for (const [before, name] of ["ab", "bc", "cd", "de", "ef", "fg"].map((pair) => pair.split("") as [string, string]))
      bomb.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(", ")}]`)
    expect((await faultsOf("plan.yml", bomb.join("\n")))[0]).toContain("Excessive alias count")
  })

  it("reads back what it wrote", async () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 30 })
    const line = text.filter((value) => value.trim() !== "" && !/[\r\n\0\u0085\u2028\u2029]/.test(value))
    const task = fc.record({
      ...{ title: line, description: text.filter((value) => !value.includes("\0")) },
      ...{ run: fc.array(line, { maxLength: 2 }), checks: fc.array(line, { maxLength: 2 }) },
      role: fc.constantFrom("backend", "docs"),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 4 }), async (tasks) => {
        const plan = planOf(tasks, { schedule: "eager" })
        const read = readYaml(writePlan(plan, ["remark", "over\ntwo lines"]))
        expect(read.faults).toEqual([])
        const { tasks: again, ...top } = read.value as { tasks: Record<string, unknown>[] }
        expect(planOf(again, top)).toEqual(plan)
      }),
      { numRuns: 200 },
    )
  })
})

const RELEASE = `# Bring out the first release

Everything that a stranger needs to try it.

## 1. Version and changelog
- role: devops
- files: CHANGELOG.md, \`scripts/release.{sh,ts}\`
- complexity: simple

Take the version from the tag.

\`\`\`sh
# not a command of ours
## and not a task
\`\`\`

### Acceptance
- The changelog has a section for 1.0
- [ ] \`git tag\` shows v1.0,
  and it is signed

### Checks
\`\`\`sh
# a remark
sh scripts/release.sh --dry-run
test -s \\
  CHANGELOG.md
\`\`\`

## Task 2: Manual {#manual}

- **Role**: docs
- **Needs**: #1
- **Agent type**: executor
- checks:
  - \`grep -q Install docs/manual.md\`
  - test -s docs/manual.md

For people who never saw it.

### Background
Stays part of the description.

## Announce it
* needs: 1, manual
* run: echo done > announced.txt
* acceptance: It is announced, and people know
`

describe("Markdown", () => {
  it("is read as people write it", async () => {
    const { plan } = await load("release.md", RELEASE)
    expect(plan.goal).toBe("Bring out the first release\n\nEverything that a stranger needs to try it.")
    const [one, manual, announce] = plan.tasks as unknown as Record<string, unknown>[]
    expect(one).toMatchObject({
      ...{ id: "1", title: "Version and changelog", role: "devops", complexity: "simple" },
      files: ["CHANGELOG.md", "scripts/release.{sh,ts}"],
      description: "Take the version from the tag.\n\n```sh\n# not a command of ours\n## and not a task\n```",
      acceptance: ["The changelog has a section for 1.0", "`git tag` shows v1.0, and it is signed"],
      checks: ["sh scripts/release.sh --dry-run", "test -s CHANGELOG.md"],
    })
    expect(manual).toMatchObject({
      ...{ id: "manual", title: "Manual", role: "docs", needs: ["1"], agentType: "executor" },
      checks: ["grep -q Install docs/manual.md", "test -s docs/manual.md"],
      description: "For people who never saw it.\n\n### Background\nStays part of the description.",
    })
    expect(announce).toMatchObject({
      ...{ id: "3", title: "Announce it", needs: ["1", "manual"], run: ["echo done > announced.txt"] },
      acceptance: ["It is announced, and people know"],
    })
  })

  it("takes settings of the plan from the front", async () => {
    const front = "---\nschedule: eager\nworkers: backend:2\ndefaults:\n  role: backend\n---\n"
    const { plan } = await load("plan.md", `${front}# G\n\n## One\n`)
    expect(plan).toMatchObject({ goal: "G", schedule: "eager", workers: "backend:2", tasks: [{ role: "backend" }] })
    expect(await faultsOf("plan.md", `${front.replace("eager", "soon")}# G\n\n## One\n`)).toEqual([
      'plan.md:2:1: schedule: "soon" is not one of waves, eager',
    ])
    expect((await faultsOf("plan.md", "---\na: [\n---\n# G\n## One\n"))[0]).toStartWith("plan.md:2:5: ")
  })

  it("names line, column and field, whatever is wrong", async () => {
    const text = RELEASE.replace("role: devops", "roel: devops").replace("* needs: 1, manual", "* needs: 1, manaul")
    expect(await faultsOf("release.md", text)).toEqual([
      "release.md:6:3: tasks[0].roel: is not known here; did you mean role?",
      'release.md:45:10: tasks[2].needs: "manaul" is no task of this plan; did you mean "manual"?',
    ])
    expect(await faultsOf("plan.md", "# Goal alone\n")).toEqual(["plan.md:1:1: tasks is missing"])
    expect(await faultsOf("plan.md", "## Task alone\n- acceptance: x\n")).toEqual(["plan.md:1:1: goal is missing"])
    expect(await faultsOf("plan.md", "")).toEqual(["plan.md:1:1: goal is missing", "plan.md:1:1: tasks is missing"])
  })

  it("with Windows line ends says the same", async () => {
    expect(await load("r.md", RELEASE.replaceAll("\n", "\r\n"))).toEqual(await load("r.md", RELEASE))
  })

  it("of any form is read without falling over, and places are in the text", () => {
    const bits = [
      "# G\n",
      "## T {#a}\n",
      "- needs: b\n",
      "  - x\n",
      "### Checks\n",
      "```\n",
      "---\n",
      "a: 1\n",
      "text\n",
      "\n",
    ]
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...bits), fc.string()), { maxLength: 30 }), (parts) => {
        const text = parts.join("")
        const { value, placeOf } = readMarkdown(text)
        const { tasks = [] } = value as { tasks?: object[] }
        for (const [index, task] of tasks.entries())
          for (const field of Object.keys(task)) {
            const { line, column } = placeOf(["tasks", index, field])
            expect(line >= 1 && line <= text.split("\n").length && column >= 1).toBe(true)
          }
      }),
      { numRuns: 500 },
    )
  })
})

describe("the JSON schema", () => {
  const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(planJsonSchema())

  it("takes what we take, and the example", () => {
    const example = join(import.meta.dir, "../../examples/shop/plan.yml")
    const { value } = readYaml(readFileSync(example, "utf8"))
    for (const plan of [value, { goal: "g", tasks: [{ title: "t", needs: 1, id: 2 }] }])
      expect({ valid: validate(plan), errors: validate.errors }).toEqual({ valid: true, errors: null })
  })

  it.each([
    [{ goal: "g" }],
    [{ goal: "g", tasks: [] }],
    [{ goal: "g", tasks: [{}] }],
    [{ goal: "g", tasks: [{ title: "t", role: "king" }] }],
    [{ goal: "g", tasks: [{ title: "t", titel: "t" }] }],
    [{ goal: "g", tasks: [{ title: "t" }], defaults: { title: "t" } }],
  ])("refuses what we refuse: %j", (plan) => {
    expect(validate(plan)).toBe(false)
  })

  it("of a planner's answer wants every field and nothing else", () => {
    const schema = answerSchema(["executor"])
    const answers = new Ajv({ strict: true }).compile(schema)
    const task = {
      ...{ id: "1", title: "t", description: "", acceptance: [], checks: [], role: "test", agentType: "executor" },
      ...{ complexity: "simple", needs: [], files: [] },
    }
    expect(answers({ understanding: "g", tasks: [task] })).toBe(true)
    for (const name of Object.keys(task))
      expect(answers({ understanding: "g", tasks: [{ ...task, [name]: undefined }] })).toBe(false)
    for (const more of [{ run: [] }, { agentType: "king" }, { agent: "x" }])
      expect(answers({ understanding: "g", tasks: [{ ...task, ...more }] })).toBe(false)
  })
})
