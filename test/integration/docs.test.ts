import { expect, test } from "bun:test"
import { configJsonSchema } from "../../src/app/config/json-schema.ts"
import { getSetting, SETTING_KEYS } from "../../src/app/config/settings.ts"
import { COMMANDS } from "../../src/doors/cli/commands.ts"
import { describeCommand } from "../../src/doors/cli/help.ts"
import { listTools } from "../../src/doors/mcp/list-tools.ts"
import { leadOf } from "../../src/doors/mcp/who.ts"
import { describeField, type Fields } from "../../src/lib/schema.ts"
import { PLAN_DEFAULTS, PLAN_FIELDS, PLAN_TASK_FIELDS } from "../../src/planning/plan.ts"
import { planJsonSchema } from "../../src/planning/plan-schema.ts"
import { loadPlan } from "../../src/planning/planner/load-plan.ts"
import { parseRoleFile } from "../../src/planning/roles/role-file.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import { PLAN_FACTS } from "../support/plans.ts"

// Reference pages are made from the code. `UPDATE_DOCS=1 npm test test/integration/docs.test.ts` writes them anew.
async function compare(file: string, made: string): Promise<void> {
  if (process.env.UPDATE_DOCS === "1") await Bun.write(file, made)
  expect(await Bun.file(file).text()).toBe(made)
}

test("docs/commands.md shows the help of every command", async () => {
  const sections = await Promise.all(
    COMMANDS.map(async (row) => {
      const command = await row.load()
      return [`## teamwork ${row.name}`, "", "```", describeCommand(row, command), "```"].join("\n")
    }),
  )
  const head = [
    "# Commands",
    "",
    "Every command also takes `--project`, `--team`, `--store`, `--format json|table`, `--json` and `--help`.",
  ].join("\n")
  await compare("docs/commands.md", `${[head, ...sections].join("\n\n")}\n`)
})

test("docs/configuration.md lists every setting", async () => {
  const file = "docs/configuration.md"
  const text = await Bun.file(file).text()
  const head = text.slice(0, text.indexOf("| key | default | meaning |"))
  const rows = SETTING_KEYS.map((key) => {
    const row = getSetting(key)
    const value = Array.isArray(row.default) ? row.default.join(", ") : String(row.default)
    return `| \`${key}\` | ${value === "" ? "" : `\`${value}\``} | ${row.description} |`
  })
  await compare(file, `${head}${["| key | default | meaning |", "|---|---|---|", ...rows].join("\n")}\n`)
})

test("docs/config.schema.json is the schema of the settings", async () => {
  await compare("docs/config.schema.json", `${JSON.stringify(configJsonSchema(), null, 2)}\n`)
})

test("docs/plan.schema.json is the schema of plans", async () => {
  await compare("docs/plan.schema.json", `${JSON.stringify(planJsonSchema(), null, 2)}\n`)
})

test("docs/plans.md lists every field of a plan and of a task", async () => {
  const file = "docs/plans.md"
  const text = await Bun.file(file).text()
  const rows = (fields: Fields) =>
    Object.entries(fields).map(([name, field]) => {
      const { kind, description, fallback } = describeField(field)
      const isSaid = typeof fallback === "string" && fallback !== ""
      return `| \`${name}\` | ${kind === "record" ? "object" : kind} | ${description}${isSaid ? `; \`${fallback}\` by default` : ""} |`
    })
  const title = "| field | form | meaning |"
  const tables = [PLAN_FIELDS, PLAN_TASK_FIELDS].map((fields) => [title, "|---|---|---|", ...rows(fields)].join("\n"))
  expect(Object.keys(PLAN_TASK_FIELDS)).toContainValues(Object.keys(PLAN_DEFAULTS))
  const made = text.replaceAll(/\| field \| form \| meaning \|\n(?:\|.*\n?)+/g, () => `${tables.shift()}\n`)
  expect(tables).toEqual([])
  await compare(file, made)
})

test("the plans that docs/plans.md shows are plans", async () => {
  const text = await Bun.file("docs/plans.md").text()
  const [yaml = ""] = [...text.matchAll(/```yaml\n(goal:[^`]*(?:`[^`]+`[^`]*)*?)```/g)].map(([, example]) => example)
  const [markdown = ""] = [...text.matchAll(/````markdown\n([\s\S]*?)````/g)].map(([, example]) => example)
  const shown = await loadPlan({ name: "plan.yml", text: yaml }, PLAN_FACTS)
  expect(shown.notes).toEqual(["task api waits for db: a schema comes before the API on top of it"])
  const page = await loadPlan({ name: "plan.md", text: markdown }, PLAN_FACTS)
  expect(page.plan.tasks.map(({ id }) => String(id))).toEqual(["1", "manual"])
})

test("docs/mcp.md lists every tool, and for whom it is", async () => {
  const file = "docs/mcp.md"
  const text = await Bun.file(file).text()
  const lead = leadOf({ project: "shop", team: "main" })
  const all = await listTools(lead, COMMANDS)
  const workers = await listTools({ ...lead, worker: "w1", isFixed: true }, COMMANDS)
  const rows = all.map(({ name, description }) => {
    const isForAll = workers.some((tool) => tool.name === name)
    const audience = isForAll ? "all" : ["join", "leave"].includes(name) ? "sessions" : "the lead"
    return `| \`${name}\` | ${audience} | ${description} |`
  })
  const title = "| tool | for | what it does |"
  const made = [title, "|---|---|---|", ...rows].join("\n")
  await compare(
    file,
    text.replace(/\| tool \| for \| what it does \|\n(?:\|.*\n?)+/, () => `${made}\n`),
  )
})

test("docs/roles.md lists every built-in role, and its examples are role files", async () => {
  const file = "docs/roles.md"
  const text = await Bun.file(file).text()
  const examples = [...text.matchAll(/```markdown\n([^`]*(?:`[^`]+`[^`]*)*?)```/g)].map(([, example]) => example ?? "")
  expect(examples.map((example) => parseRoleFile("example.md", example).name)).toEqual([
    "api-smith",
    "review",
    "licence-reviewer",
  ])
  const title = "| name | kind | model | effort | expertise |"
  const rows = BUILT_IN_ROLES.map(
    ({ name, kind, model, effort, expertise }) =>
      `| \`${name}\` | ${kind} | ${model} | ${effort} | ${expertise.join(", ")} |`,
  )
  await compare(file, `${text.slice(0, text.indexOf(title))}${[title, "|---|---|---|---|---|", ...rows].join("\n")}\n`)
})
