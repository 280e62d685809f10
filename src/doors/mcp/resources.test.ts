import { describe, expect, it } from "bun:test"
import { type Event, type EventType, readEvent } from "../../kernel/events.ts"
import { changedBy, findResource } from "./resources.ts"

function event(type: EventType, data: Record<string, unknown>): Event {
  const stored = { seq: 1, cursor: "1", type, version: 1, timestamp: "2026-01-01T00:00:00.000Z", by: "w1" }
  return readEvent({ ...stored, data: { ...data } })
}

describe("what an event changes", () => {
  const always = ["status", "whiteboard"]

  it.each([
    ["task.claimed", { task: "3", token: 1 }, ["tasks", "tasks/3"]],
    ["evidence.added", { task: "3", type: "note", trust: "reported" }, ["tasks/3"]],
    ["message.sent", { id: "m", from: "w2", to: "w1", type: "text" }, ["messages"]],
    [
      "record.added",
      { kind: "approval", number: 1, task: "3", status: "pending", about: "" },
      ["approvals", "tasks/3"],
    ],
    ["record.added", { kind: "wisdom", number: 1, task: null, status: "kept", about: "" }, ["wisdom"]],
    ["worker.set_up", { worker: "w1" }, []],
  ] as const)("%s %p", (type, data, also) => {
    const paths = [...changedBy([event(type, data)])].map((uri) => uri.replace("teamwork://team/", ""))
    expect(paths.sort()).toEqual([...always, ...also].sort())
  })
})

describe("the address of a resource", () => {
  it.each([
    ["teamwork://team/tasks", { command: "task list" }],
    ["teamwork://team/tasks/a%2Db", { command: "task get", id: "a-b" }],
  ])("%s", (uri, found) => {
    expect(findResource(uri)).toMatchObject(found)
  })

  it.each([
    "teamwork://team/",
    "teamwork://team/tasks/",
    "teamwork://team/tasks/1/evidence",
    "teamwork://team/tasks/%zz",
    "teamwork://team/tasks/..%2f..",
    "http://team/tasks",
    "",
  ])("is refused: %p", (uri) => {
    expect(() => findResource(uri)).toThrow("there is no resource")
  })
})
