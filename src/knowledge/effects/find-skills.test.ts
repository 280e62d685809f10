import { describe, expect, it } from "bun:test"
import { readSkillFile } from "./find-skills.ts"

const pdf = { name: "pdf", description: "Fills forms: all of them" }

describe("a SKILL.md", () => {
  it("has a name and a description, on one line or on several", () => {
    const read = (front: string) => readSkillFile(`---\n${front}\n---\n# Do it\n`)
    expect(read('name: "pdf"\ndescription: >-\n  Fills forms:\n  all of them\nallowed-tools: Read')).toEqual(pdf)
    expect(read("name: pdf\ndescription: |\n  Fills forms:\n  all of them")).toEqual(pdf)
    expect(read("description: 'Fills forms: all of them'\r\nname: pdf\r")).toEqual(pdf)
    expect(read("Name: pdf\nDescription: 'Fills forms: all of them'\nversion: 1.0")).toEqual(pdf)
  })

  it("is read where its values are not valid YAML", () => {
    const read = (front: string) => readSkillFile(`---\n${front}\n---\n`)
    expect(read("name: pdf\ndescription: Fills forms: all of them")).toEqual(pdf)
    expect(read("name: pdf\ndescription: Fills forms:\n  all of them\nargument-hint: [a] [b]")).toEqual(pdf)
    expect(read("name: pdf\nname: pdf\ndescription: *x")).toEqual({ name: "pdf", description: "*x" })
  })

  it("is refused without a name or a description", () => {
    expect(readSkillFile("# Do it")).toBe("the file does not begin with a line ---")
    expect(readSkillFile("---\nname: x")).toBe("the front matter is not closed with a line ---")
    const noName = "name: a skill needs a name of at most 100 characters"
    expect(readSkillFile("---\ndescription: x\n---")).toBe(noName)
    expect(readSkillFile(`---\nname: ${"x".repeat(101)}\ndescription: x\n---`)).toBe(noName)
    expect(readSkillFile("---\nname: [x]\ndescription: x\n---")).toBe(noName)
    expect(readSkillFile("---\nname: x\n---")).toBe("description: a skill needs a description")
  })
})
