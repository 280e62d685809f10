import { describe, expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { BUILT_IN_ROLES } from "../roles/roles.ts"
import { loadPresets } from "./load-presets.ts"

function makePlaces(files: Readonly<Record<string, string>>) {
  const scratch = makeScratch("presets")
  for (const [path, text] of Object.entries(files)) {
    const file = join(scratch.path, path)
    mkdirSync(join(file, ".."), { recursive: true })
    writeFileSync(file, text)
  }
  const places = { home: join(scratch.path, "home"), repository: join(scratch.path, "repo"), roles: BUILT_IN_ROLES }
  return { load: () => loadPresets(places), [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

describe("presets", () => {
  it("are four that are built in, with the role templates", () => {
    using places = makePlaces({})
    const [pm, ...others] = places.load()
    expect(pm).toEqual({
      ...{ name: "pm-team", source: "built-in", protocol: "planned", qa: true, schedule: "waves", workers: "3" },
      summary: expect.any(String) as never,
      roles: { code: "executor", document: "docs", research: "explorer", design: "designer" },
    })
    expect(
      others.map(({ name, schedule, template, coordinate }) => [name, schedule ?? template ?? coordinate]),
    ).toEqual([
      ["teamwork", "waves"],
      ["forge", "build-team"],
      ["coordinate", true],
    ])
  })

  it("come from files too: the repository goes before the home, and that before what is built in", () => {
    using places = makePlaces({
      "home/presets/pm-team.yml": "summary: Mine\nworkers: '2'",
      "home/presets/night.yml": "summary: At home",
      "repo/.teamwork/presets/night.yaml": "summary: At night\nmode: SUPERVISED\nroles: {code: backend}",
      "repo/.teamwork/presets/notes.txt": "no preset",
    })
    const presets = places.load()
    expect(presets.find(({ name }) => name === "pm-team")).toMatchObject({ source: "home", workers: "2" })
    expect(presets.find(({ name }) => name === "pm-team")?.qa).toBeUndefined()
    expect(presets.at(-1)).toEqual({
      ...{ name: "night", source: "repository", summary: "At night", mode: "SUPERVISED", roles: { code: "backend" } },
    })
  })

  it.each([
    ["workers: '3'", "summary is missing"],
    ["summary: s\nworkrs: '3'", "workrs: is not known here; did you mean workers?"],
    ["summary: s\nmode: SOMETIMES", '2: mode: "SOMETIMES" is not one of FULL_AUTO, SUPERVISED'],
    [
      "summary: s\nroles: {code: exekutor}",
      'roles.code: there is no role or agent type "exekutor"; did you mean executor?',
    ],
    ["summary: s\nroles: {kode: executor}", "2: roles.kode: is not known here; did you mean code?"],
    ["- a", "is not a preset; it needs a summary"],
    ["a: [", "Flow sequence"],
  ])("that are wrong are told with their file: %j", (text, problem) => {
    using places = makePlaces({ "repo/.teamwork/presets/mine.yml": text })
    expect(places.load).toThrow(/mine\.yml:\d+: /)
    expect(places.load).toThrow(problem)
  })
})
