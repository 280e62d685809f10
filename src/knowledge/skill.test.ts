import { describe, expect, it } from "bun:test"
import { chooseSkills, findMissing, findNamed, type Skill } from "./skill.ts"

const skill = (name: string, description: string): Skill => ({ name, description, path: `x/${name}`, origin: "home" })
const SKILLS = [
  skill("code-review", "Reviews changes for defects"),
  skill("pdf", "Fills and reads PDF forms"),
  skill("database-migrations", "Writes migrations for the database of a backend"),
  skill("api-design", "Designs endpoints of an API"),
  skill("styling", "CSS and responsive layout for frontend pages"),
  skill("表格处理", "读取和编写电子表格"),
]
const names = (skills: readonly Skill[]) => skills.map(({ name }) => name)

describe("a skill that the user names", () => {
  const named = (text: string) => names(findNamed(text, SKILLS))

  it("is found in the ways in which people say it (R240)", () => {
    for (const text of [
      "Use the code-review skill for this.",
      "Please use code review skill",
      'Go over it with the "Code Review" skill',
      "Do it using my `code_review` skill!",
      "Use skill code-review",
      "使用 code-review 技能",
      "请使用code-review技能完成",
      "使用技能 code-review",
    ])
      expect({ text, named: named(text) }).toEqual({ text, named: ["code-review"] })
    expect(named("使用“表格处理”技能")).toEqual(["表格处理"])
  })

  it("may be one of several", () => {
    expect(named("Use the pdf, styling and code-review skills.")).toEqual(["code-review", "pdf", "styling"])
    expect(named("使用 pdf 和 styling 技能")).toEqual(["pdf", "styling"])
  })

  it("is none where the text says otherwise, or speaks of something else", () => {
    for (const text of [
      "Do not use the pdf skill",
      "Don't use the pdf skill",
      "不要使用 pdf 技能",
      "Write a pdf with great skill",
      "Use the pdf library. It takes skill.",
      "A page for skills of employees, such as styling",
    ])
      expect({ text, named: named(text) }).toEqual({ text, named: [] })
  })

  it("is missing when the environment does not have it", () => {
    expect(findMissing("Use the web-testing skill and with the `pdf` skill", SKILLS)).toEqual(["web-testing"])
    expect(findMissing('Use the "browser" skill', SKILLS)).toEqual(["browser"])
    expect(findMissing("Use the right skill", SKILLS)).toEqual([])
    expect(findMissing("做一个网页，使用 nosuch 技能", SKILLS)).toEqual(["nosuch"])
    expect(findMissing("做一个网页，使用 pdf 技能", SKILLS)).toEqual([])
  })
})

describe("the skills for a task", () => {
  const choose = (about: string, named = "", role = "") => {
    const chosen = chooseSkills(SKILLS, { named, about, role })
    return chosen.map(({ skill: { name }, isMandatory }) => `${name}${isMandatory ? "!" : ""}`)
  }

  it("are at most three that fit it, the best first (R241)", () => {
    expect(choose("A migration of the database and the API endpoint that fills a form")).toEqual([
      "database-migrations",
      "api-design",
      "pdf",
    ])
    expect(choose("An endpoint", "", "backend")).toEqual(["api-design", "database-migrations"])
  })

  it("are those that the user named before all others, however many", () => {
    expect(choose("A migration of the database", "use the styling skill")).toEqual(["styling!", "database-migrations"])
    const all = "use the code-review, pdf, api-design and styling skills"
    expect(choose("A migration of the database", all)).toEqual(["code-review!", "pdf!", "api-design!", "styling!"])
  })

  it("are none where none fits", () => {
    expect(choose("Paint the fence")).toEqual([])
  })
})
