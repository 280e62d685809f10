import { describe, expect, it } from "bun:test"
import { AppError } from "../../kernel/errors.ts"
import { mergeRoles } from "./merge-roles.ts"
import { parseRoleFile, type RoleFile } from "./role-file.ts"
import { BUILT_IN_ROLES } from "./roles.ts"

const parse = (...lines: string[]) => parseRoleFile("roles/api.md", lines.join("\n"))

describe("parseRoleFile", () => {
  it("reads every field and the instructions below them", () => {
    const text = [
      "\uFEFF---",
      "# who",
      "name: 'api-smith'",
      "extends: backend   # the usual",
      "",
      "kind: implementation",
      "model: opus",
      "effort: low",
      'tools: [Read, "Edit" , Bash]',
      "writes: false",
      "---",
      "",
      "Write the API.",
      "---",
      "Then test it.",
      "",
    ].join("\r\n")
    expect(parseRoleFile("roles/api.md", text)).toEqual({
      name: "api-smith",
      extends: "backend",
      kind: "implementation",
      model: "opus",
      effort: "low",
      tools: ["Read", "Edit", "Bash"],
      writes: false,
      instructions: "Write the API.\n---\nThen test it.",
      file: "roles/api.md",
      extendsLine: 4,
    })
  })

  it("takes the name from the file, and one tool without brackets", () => {
    expect(parse("---", "kind: review", "tools: Read", "---", "Look.")).toMatchObject({ name: "api", tools: ["Read"] })
    const quoted = parse("---", "kind: review", `tools: [Read, "Bash(cut -d, *)",'a, b' , c]`, "---", "Look.")
    expect(parse("---", "kind: review", "tools:", "  - Read", "---", "Look.").tools).toEqual(["Read"])
    expect(quoted.tools).toEqual(["Read", "Bash(cut -d, *)", "a, b", "c"])
  })

  const head = (...lines: string[]) => ["---", ...lines, "---", "x"]

  it.each<[string, string[], string]>([
    ["no front matter", ["Hello"], ":1: the file does not begin with a line ---"],
    ["an empty file", [""], ":1: the file does not begin with a line ---"],
    ["an open front matter", ["---", "kind: review"], ":2: the front matter is not closed"],
    ["no kind", ["---", "---", "x"], ":1: kind: is missing; use implementation, review,"],
    ["no instructions", ["---", "kind: review", "---", " "], ":3: the instructions are missing"],
    ["an unknown key", head("kind: review", "modle: opus"), ":3: modle: is not known here; did you mean model?"],
    ["a far-off key", head("colour: red"), ":2: colour: is not known here; there are name, extends, kind,"],
    ["a key twice", head("kind: review", "", "kind: review"), ":4: Map keys must be unique"],
    ["a wrong kind", head("kind: reviews"), ':2: kind: "reviews" is not one of implementation, review,'],
    ["a near kind", head("kind: reviews"), "did you mean review?"],
    ["a wrong model", head("model: gpt"), ':2: model: "gpt" is not one of haiku, sonnet, opus, dynamic'],
    ["a wrong effort", head("effort: hihg"), ':2: effort: "hihg" is not one of low, medium, high; did you mean high?'],
    ["a wrong truth", head("writes: yes"), ':2: writes: "yes" is not one of true, false'],
    ["a list for a word", head("model: [opus]"), ":2: model: is not one of haiku, sonnet, opus, dynamic"],
    ["an open list", head("tools: [Read,"), ":2: Flow sequence"],
    ["no value", head("name:"), ':2: name: "" is not valid'],
    ["no tools", head("tools:"), ":2: tools: has no value"],
    ["a wrong name", head("name: ../x"), ':2: name: "../x" is not valid'],
    ["no key", head("just words"), ":2: the front matter is not of the form key: value"],
    ["a table for a list", head("tools:", "  a: b"), ":2: tools: is not a text"],
    ["a prototype key", head("constructor: x"), ":2: constructor: is not known here"],
  ])("says where and what is wrong: %s", (_, lines, message) => {
    try {
      parse(...lines)
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
      expect(error).toMatchObject({ code: "role.bad_file", details: { file: "roles/api.md" } })
      expect((error as Error).message).toStartWith("roles/api.md:")
      expect((error as Error).message).toContain(message)
      return
    }
    throw new Error("was not refused")
  })
})

describe("a role that owns tasks", () => {
  const parse = (...lines: string[]) =>
    parseRoleFile("a.md", ["---", "kind: review", ...lines, "---", "Do it."].join("\n"))

  it("has a prefix, a responsibility and an inner loop or not", () => {
    expect(parse("prefix: SCAN", "responsibility_type: analysis", "inner_loop: false")).toMatchObject({
      ...{ prefix: "SCAN", responsibility: "analysis", innerLoop: false },
    })
    expect(Object.keys(parse())).not.toContain("innerLoop")
  })

  it.each([
    ["prefix: scan", 'a.md:3: prefix: "scan" is not valid; use 2 to 16 capital letters and digits, the first a letter'],
    ["responsibility_type: analysing", 'a.md:3: responsibility_type: "analysing" is not one of exploration, analysis,'],
    ["inner_loop: maybe", 'a.md:3: inner_loop: "maybe" is not one of true, false'],
  ])("is told what is wrong with %s", (line, message) => {
    expect(() => parse(line)).toThrow(message)
  })

  it("of a team goes before one at home and behind one of the repository; its effort follows its responsibility", () => {
    const named = (text: string, responsibility: string) =>
      parseRoleFile("a.md", `---\nname: a\nkind: review\nresponsibility_type: ${responsibility}\n---\n${text}`)
    const [home, team, repository] = [named("home", "review"), named("team", "synthesis"), named("repo", "analysis")]
    const pick = (files: Parameters<typeof mergeRoles>[0]) => {
      const { instructions, source, effort } = mergeRoles(files).find(({ name }) => name === "a") ?? {}
      return [instructions, source, effort]
    }
    expect(pick({ home: [home], team: [team], repository: [] })).toEqual(["team", "team", "medium"])
    expect(pick({ home: [home], team: [team], repository: [repository] })).toEqual(["repo", "repository", "high"])
  })
})

describe("mergeRoles", () => {
  const file = (path: string, ...lines: string[]): RoleFile => parseRoleFile(path, lines.join("\n"))
  const merge = (home: RoleFile[], repository: RoleFile[] = []) => mergeRoles({ home, team: [], repository })
  const find = (roles: ReturnType<typeof merge>, name: string) => roles.find((role) => role.name === name)

  it("gives the built-in roles where there are no files", () => {
    expect(merge([])).toEqual(
      BUILT_IN_ROLES.map((role) => ({ ...role, source: "built-in", file: null, extends: null })) as never,
    )
  })

  it("lets a repository's file override a home's, and that the built-in one", () => {
    const home = file("h/backend.md", "---", "kind: implementation", "model: opus", "---", "From home.")
    const own = file("r/backend.md", "---", "kind: implementation", "---", "From here.")
    expect(find(merge([home]), "backend")).toMatchObject({ source: "home", model: "opus", instructions: "From home." })
    const both = find(merge([home], [own]), "backend")
    expect(both).toMatchObject({ source: "repository", model: "dynamic", instructions: "From here.", expertise: [] })
    expect(merge([home], [own])).toHaveLength(BUILT_IN_ROLES.length)
  })

  it("extends the overridden role of the same name, layer by layer", () => {
    const home = file("h/backend.md", "---", "extends: backend", "model: opus", "---", "From home.")
    const own = file("r/backend.md", "---", "extends: backend", "effort: low", "---", "From here.")
    const role = find(merge([home], [own]), "backend")
    const builtIn = find(merge([]), "backend")
    expect(role).toMatchObject({ source: "repository", extends: "backend", model: "opus", effort: "low" })
    expect(role?.expertise).toEqual(builtIn?.expertise ?? [])
    expect(role?.instructions).toBe(`${builtIn?.instructions}\n\nFrom home.\n\nFrom here.`)
  })

  it("goes by another kind's effort and rights when a file changes the kind", () => {
    const own = file("r/scout.md", "---", "extends: backend", "kind: exploration", "---", "Look.")
    expect(find(merge([], [own]), "scout")).toMatchObject({
      kind: "exploration",
      responsibility: "exploration",
      effort: "medium",
      writes: false,
    })
  })

  it("puts new roles behind the built-in ones, by name", () => {
    const made = ["zoo", "api"].map((name) => file(`r/${name}.md`, "---", "kind: review", "---", "Look."))
    expect(
      merge([], made)
        .slice(BUILT_IN_ROLES.length)
        .map((role) => role.name),
    ).toEqual(["api", "zoo"])
  })

  it("does not hand on that a name is deprecated", () => {
    const own = file("r/boss.md", "---", "extends: coordinator", "---")
    expect(find(merge([], [own]), "boss")).not.toHaveProperty("deprecatedFor")
  })

  it.each<[string, string[][], string]>([
    ["nobody", [["a", "backnd"]], "a.md:3: extends: there is no role backnd; did you mean backend?"],
    ["itself", [["a", "a"]], "a.md:3: extends: there is no other a to extend"],
    [
      "in a circle",
      [
        ["a", "b"],
        ["b", "a"],
      ],
      "a.md:3: extends: b leads back to this file",
    ],
    [
      "in a long circle",
      [
        ["a", "b"],
        ["b", "c"],
        ["c", "b"],
      ],
      "b.md:3: extends: c leads back to this file",
    ],
  ])("refuses to extend %s", (_, pairs, message) => {
    const files = pairs.map(([name, parent]) => file(`${name}.md`, "---", "model: opus", `extends: ${parent}`, "---"))
    expect(() => merge([], files)).toThrow(message)
  })

  it("refuses two files of one name in one place", () => {
    const a = file("a.md", "---", "name: x", "kind: review", "---", "1")
    const b = file("b.md", "---", "name: x", "kind: review", "---", "2")
    expect(() => merge([a, b])).toThrow("b.md:1: name: x is defined in a.md already")
    expect(() => merge([a], [b])).not.toThrow()
  })
})
