import { describe, expect, it } from "bun:test"
import { LIMITS, makeSnapshot, NOW, openTask } from "../../test/support/engine.ts"
import { isId, parseTaskId } from "../kernel/ids.ts"
import { emptyHistory, type History } from "../reporting/history.ts"
import { cascadeIdOf, followUpOf, listFollowUps, titleOfFollowUp } from "../tasks/follow-up.ts"
import { NO_WORK, type Task } from "../tasks/task.ts"
import { cascade } from "./react.ts"

const resolved = (id: string, title: string, change: Partial<Task> = {}) =>
  openTask(id, { title, status: "resolved", ...change })
const follow = (tasks: Task[], change: Parameters<typeof makeSnapshot>[0] = {}) =>
  cascade(makeSnapshot({ tasks, ...change }), LIMITS)

function ranBy(...agents: string[]): History {
  const history = emptyHistory()
  for (const [turn, agent] of agents.entries())
    history.runs.set(`1-1-${turn}`, {
      ...{
        id: `1-1-${turn}`,
        task: parseTaskId("1"),
        attempt: 1,
        worker: "w1",
        agent,
        model: null,
        turn,
        startedAt: NOW,
      },
      ...{
        endedAt: NOW,
        reason: "done",
        error: null,
        session: null,
        inputTokens: 0,
        cachedTokens: 0,
        tokens: 1,
        dollars: null,
      },
      dollarsAreEstimated: false,
    })
  return history
}

describe("what follows from a task, by its words", () => {
  it.each([
    ["Implement the search page", "test"],
    ["Create a schema for items", "test"],
    ["Creating the pages", "test"],
    ["Build the login form", "test"],
    ["Fix the crash on start", "test"],
    ["Added paging to the list", "test"],
    ["Refactor the store", "test"],
    ["Add a page and its tests", "test"],
    ["Add a check for empty names", "test"],
    ["Test the search page", "review"],
    ["Write specs for the parser", "review"],
    ["Raise the coverage of the store", "review"],
    ["Add tests for the parser", "review"],
    ["Add more unit tests", "review"],
    ["Fix the flaky test", "review"],
    ["Review the tests", undefined],
    ["Audit what was built", undefined],
    ["Check the tests", undefined],
    ["Explore how to add pages", undefined],
    ["Debugging the build", undefined],
    ["Analyze coverage", undefined],
    ["Analysing the fix", undefined],
    ["Address book", undefined],
    ["Rename the latest rebuild", undefined],
  ] as const)("%s: %s", (title, expected) => {
    expect(followUpOf({ title, description: "" })).toBe(expected)
  })

  it("asks the description where the title says nothing", () => {
    expect(followUpOf({ title: "Search page", description: "Implement it, then add tests." })).toBe("test")
    expect(followUpOf({ title: "Search page", description: "Review it." })).toBeUndefined()
    expect(followUpOf({ title: "Review the page", description: "Implement it." })).toBeUndefined()
  })
})

describe("cascade", () => {
  it("brings tests for what was built and a review for what was tested", () => {
    expect(follow([resolved("1", "Build it"), resolved("2", "Test it"), resolved("3", "Review it")])).toEqual([
      { type: "cascade", of: "1", kind: "test" },
      { type: "cascade", of: "2", kind: "review" },
    ])
  })

  it("happens once", () => {
    expect(follow([resolved("1", "Build it"), openTask("test-1", { title: "Tests" })])).toEqual([])
  })

  it.each(["open", "in_progress", "in_review", "failed", "skipped", "paused"] as const)(
    "waits while it is %s",
    (status) => {
      expect(follow([resolved("1", "Build it", { status })])).toEqual([])
    },
  )

  it("ends at the third of a line", () => {
    const at = (cascadeDepth: number) => follow([resolved("1", "Build it", { work: { ...NO_WORK, cascadeDepth } })])
    expect(at(2)).toHaveLength(1)
    expect(at(3)).toEqual([])
  })

  it("is left out by the configuration, by the title, for fixes and for a team that is done or paused", () => {
    const tasks = [resolved("1", "Build it")]
    expect(cascade(makeSnapshot({ tasks }), { ...LIMITS, enableCascade: false })).toEqual([])
    expect(follow([resolved("1", "Build it [no-cascade]")])).toEqual([])
    expect(follow([resolved("fix-1-1", "Fix the merge of task 1")])).toEqual([])
    expect(follow([resolved("mend-wave-1-1", "Fix what the gate of wave 1 found")])).toEqual([])
    expect(follow([resolved("finding-1-whole", "Fix what the review found")])).toEqual([])
    expect(follow([resolved("fix-door", "Fix the door")])).toHaveLength(1)
    const { team } = makeSnapshot()
    expect(follow(tasks, { team: { ...team, phase: "COMPLETE" } })).toEqual([])
    expect(follow(tasks, { team: { ...team, status: "paused" } })).toEqual([])
  })

  it("is left out for what a script does or did", () => {
    expect(follow([resolved("1", "Build it", { work: { ...NO_WORK, agent: "script" } })])).toEqual([])
    expect(follow([resolved("1", "Build it", { work: { ...NO_WORK, commands: ["make"] } })])).toEqual([])
    expect(follow([resolved("1", "Build it")], { history: ranBy("claude", "script") })).toEqual([])
    expect(follow([resolved("1", "Build it")], { history: ranBy("script", "claude") })).toHaveLength(1)
  })

  it("F017: makes no tests where the work brought its own, and still has tests reviewed", () => {
    const tested = new Set(["1/1", "2/1"])
    expect(follow([resolved("1", "Build it"), resolved("2", "Test it")], { tested })).toEqual([
      { type: "cascade", of: "2", kind: "review" },
    ])
    expect(follow([resolved("1", "Build it", { attempt: 2 })], { tested })).toHaveLength(1)
  })

  it("F021: titles are short, and never hold one another", () => {
    const built = resolved("1", "Build it")
    expect(titleOfFollowUp("test", built)).toBe("Test: Build it")
    const test = resolved("test-1", "Test: Build it", { work: { ...NO_WORK, cascadeOf: parseTaskId("1") } })
    expect(titleOfFollowUp("review", test)).toBe("Review: Build it")
    // What a person called so keeps its words.
    expect(titleOfFollowUp("review", resolved("2", "Test: the page"))).toBe("Review: Test: the page")
    expect(titleOfFollowUp("test", resolved("3", "x".repeat(500)))).toHaveLength(500)
  })

  it("F017: lists beforehand what the engine will make", () => {
    const tasks = [openTask("1", { title: "Build it" }), openTask("2", { title: "Test it" }), openTask("3")]
    expect(listFollowUps(tasks).map(({ id, title, of, role }) => [id, title, of, role] as string[])).toEqual([
      ["test-1", "Test: Build it", "1", "test"],
      ["review-test-1", "Review: Build it", "test-1", "review"],
      ["review-2", "Review: Test it", "2", "review"],
    ])
    expect(listFollowUps([...tasks, openTask("test-1", { title: "Try it" })]).map(({ id }) => String(id))).toEqual([
      "review-2",
    ])
    const script = openTask("1", { title: "Build it", work: { ...NO_WORK, commands: ["make"] } })
    expect(listFollowUps([script, openTask("2", { title: "Build it [no-cascade]" })])).toEqual([])
  })

  it("names the follow-up by the task, within what an id may be", () => {
    expect(cascadeIdOf(parseTaskId("7"), "test")).toBe(parseTaskId("test-7"))
    const long = parseTaskId("x".repeat(64))
    expect(isId(cascadeIdOf(long, "review"))).toBe(true)
    expect(cascadeIdOf(long, "review")).toBe(cascadeIdOf(long, "review"))
    expect(cascadeIdOf(long, "review")).not.toBe(cascadeIdOf(parseTaskId("y".repeat(64)), "review"))
  })
})
