import { describe, expect, it } from "bun:test"
import { memoryFolder } from "../../../test/support/folders.ts"
import { CONTEXT } from "../../../test/support/layouts.ts"
import { AppError } from "../../kernel/errors.ts"
import type { Layout } from "./found-team.ts"
import { findTeams, parseTeam } from "./layouts.ts"

const PROJECT = { project: "p", team: "t", goal: "g" }
const PM = { id: "x", name: "X", mode: "FULL_AUTO" }

function find(files: Record<string, unknown>): string[] {
  return findTeams(memoryFolder(files)).map((place) => `${place.layout} ${place.path}`)
}

describe("findTeams", () => {
  it("finds the teams of a home, of a project and a team itself", () => {
    const home = { "p/a/project.json": PROJECT, "p/b/session.json": PROJECT, "q/c/project.json": PROJECT }
    expect(find({ ...home, ".loop-state/1.json": {} })).toEqual([
      "teamwork-v2 p/a",
      "teamwork-v1 p/b",
      "teamwork-v2 q/c",
    ])
    expect(find({ "a/project.json": PROJECT, "b/project.json": PROJECT })).toEqual(["teamwork-v2 a", "teamwork-v2 b"])
    expect(find({ "project.json": PROJECT })).toEqual(["teamwork-v2 "])
  })

  it("takes a team with both files for the newer format", () => {
    expect(find({ "project.json": PROJECT, "session.json": PROJECT })).toEqual(["teamwork-v2 "])
  })

  it("finds everything in a repository, wherever the search begins", () => {
    const session = "team-session.json"
    expect(
      find({
        [`.workflow/.team/TC-a/${session}`]: {},
        "projects/x/state.json": PM,
        ".forge/team-state.json": {},
        "package.json": {},
      }),
    ).toEqual(["forge-team .forge", "tc-session .workflow/.team/TC-a", "pm-project projects/x"])
    expect(find({ [`.team/TC-a/${session}`]: {} })).toEqual(["tc-session .team/TC-a"])
    expect(find({ [`TC-a/${session}`]: {}, [`TC-b/${session}`]: {} })).toEqual(["tc-session TC-a", "tc-session TC-b"])
    expect(find({ [session]: {} })).toEqual(["tc-session "])
    expect(find({ "x/state.json": PM, "y/state.json": PM })).toEqual(["pm-project x", "pm-project y"])
    expect(find({ "state.json": PM })).toEqual(["pm-project "])
    expect(find({ "team-state.json": {} })).toEqual(["forge-team "])
  })

  it("knows our own exports by their format, with everything inside", () => {
    const export_ = { ...PROJECT, teamwork: { format: 1 } }
    const inside = { "t/team-session.json": {}, "t/imported/project.json": PROJECT, "t/state.json": PM }
    expect(find({ "t/project.json": export_, ...inside })).toEqual(["export t"])
    expect(find({ "project.json": '{"teamwork": {"format": 1}, "goal": "cu' })).toEqual(["export "])
  })

  it("leaves other programs' files alone", () => {
    expect(
      find({
        "libs/a/project.json": { name: "a", sourceRoot: "src", targets: {} },
        "session.json": { user: "me" },
        "src/state.json": { open: true },
        "state.json": { version: 4, resources: [] },
        "deep/er/state.json": PM,
        "src/team-state.json": {},
      }),
    ).toEqual([])
    expect(find({})).toEqual([])
  })

  it("never looks into working copies, modules and locks", () => {
    const places = ["node_modules/x/", ".git/", "worktrees/w1/", "tasks.lock/"]
    expect(find(Object.fromEntries(places.map((place) => [`${place}project.json`, PROJECT])))).toEqual([])
  })

  it("finds a team whose main file is damaged, so that somebody is told", () => {
    expect(
      find({ "a/project.json": '{"project": "p", "team": "t', "b/project.json": "", "b/tasks/1.json": {} }),
    ).toEqual(["teamwork-v2 a", "teamwork-v2 b"])
    expect(find({ "projects/x/state.json": "{" })).toEqual(["pm-project projects/x"])
    expect(find({ "x/state.json": "{", "x/WHITEBOARD.md": "#" })).toEqual(["pm-project x"])
    expect(find({ "x/state.json": "{" })).toEqual([])
    expect(find({ "project.json": new Error("denied"), "waves.json": {} })).toEqual(["teamwork-v2 "])
  })
})

describe("parseTeam", () => {
  const mains: [Layout, string][] = [
    ["teamwork-v2", "project.json"],
    ["teamwork-v1", "session.json"],
    ["tc-session", "team-session.json"],
    ["pm-project", "state.json"],
    ["forge-team", "team-state.json"],
  ]

  it.each(mains)("refuses a %s whose %s is damaged, and names the file", (layout, file) => {
    const reasons: [unknown, string][] = [
      ['{"a', "is not complete JSON"],
      [[], "does not hold an object"],
      [new Error("denied"), "cannot be read: denied"],
    ]
    for (const [content, why] of reasons) {
      const parse = () => parseTeam(memoryFolder({ [`x/y/${file}`]: content }), { layout, path: "x/y" }, CONTEXT)
      expect(parse).toThrow(AppError)
      expect(parse).toThrow(`x/y/${file} ${why}`)
    }
  })

  it.each(mains)("makes a team of a %s of which nothing is known", (layout, file) => {
    const found = parseTeam(memoryFolder({ [file]: {} }), { layout, path: "" }, CONTEXT)
    expect(found).toMatchObject({ layout, path: "", skipped: [], changed: [] })
    expect(found.snapshot).toMatchObject({ tasks: [], waves: [], team: { project: "here", team: "main", goal: "" } })
    expect(found.snapshot.team).toMatchObject({ createdAt: CONTEXT.nowIso, nextTask: 1, nextWorker: 1 })
    expect(found.history.map((event) => event.type)).toEqual(["team.created"])
  })
})
