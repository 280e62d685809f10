import { describe, expect, it } from "bun:test"
import { projectSkills, skillProgram } from "./project-skills.ts"

const PATH = ".claude/skills/sharpen/SKILL.md"
const skill = (matter: string) => `---\nname: sharpen\n${matter}\n---\nDo it well.\n`

describe("a skill with hooks", () => {
  it.each([
    "hooks:\n  Stop: []",
    "hooks: null",
    '"hooks": {}',
    "'hooks' : {}",
    '"\\x68ooks": {}',
    "? hooks\n: {}",
    "!!str hooks: {}",
    "base: &base\n  hooks: {}\n<<: *base",
    "description: Use when: always\nhooks: {}",
    'description: Use when: always\n"\\x68ooks": {}',
    "description: one --- two\nhooks: {}",
    "name: again\nhooks: {}",
  ])("is found: %j", (matter) => {
    for (const text of [skill(matter), skill(matter).replaceAll("\n", "\r\n"), `\uFEFF${skill(matter)}`])
      expect(skillProgram(PATH, text)).toEqual({
        ...{ what: "hooks of a skill", line: PATH, from: PATH },
        script: text.trim(),
      })
  })

  it("is found where the front matter ends in the middle of a line", () => {
    expect(skillProgram(PATH, "---\nhooks: {} # ---\nDo it well.\n")).toBeDefined()
  })

  it.each([
    skill("description: tells about hooks"),
    skill("description: Use when: always"),
    skill("metadata:\n  hooks: none"),
    skill("description: x").replace("Do it", "hooks:\n  Stop: []\nDo it"),
    "hooks: a list of them\n",
    "",
  ])("is not found: %j", (text) => expect(skillProgram(PATH, text)).toBeUndefined())
})

describe("the skills of a project", () => {
  const texts: Record<string, string> = {
    "/repo/.agents/skills/dull/SKILL.md": skill("description: x"),
    "/repo/.agents/skills/sharp/SKILL.md": skill("hooks: {}"),
  }
  const files = {
    read: (path: string) => texts[path],
    has: (path: string) => Object.keys(texts).some((each) => each.startsWith(`${path}/`)),
    list: (folder: string) => (folder === "/repo/.agents/skills" ? ["dull", "empty", "sharp"] : []),
  }

  it("come without those that have hooks, unless a person agreed to that very text", () => {
    const agreed = skillProgram(".agents/skills/sharp/SKILL.md", skill("hooks: {}"))
    const read = (isAgreed: (program: unknown) => boolean) =>
      Object.fromEntries(projectSkills({ workspace: "/repo", files, isAgreed }))
    const others = { dull: "/repo/.agents/skills/dull", empty: "/repo/.agents/skills/empty" }
    expect(read(() => false)).toEqual({ ...others, sharp: null })
    expect(read((program) => Bun.deepEquals(program, agreed))).toEqual({
      ...others,
      sharp: "/repo/.agents/skills/sharp",
    })
  })
})
