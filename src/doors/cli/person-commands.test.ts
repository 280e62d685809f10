import { expect, it } from "bun:test"
import { assertForAgents } from "./person-commands.ts"

it.each([
  ["decide", {}],
  ["qa record", {}],
  ["verdict record", {}],
  ["config set", {}],
  ["deliver", {}],
  ["task update", { status: "resolved" }],
  ["task create", { run: ["touch x"] }],
])("an agent of a worker cannot call %s", (name, values) => {
  expect(() => assertForAgents(name, values)).toThrow(/only a person or the worker itself can/)
})

it.each([
  ["task update", { result: "half of it" }],
  ["task create", { title: "t" }],
  ["escalate", {}],
  ["mailbox send", {}],
  ["report", {}],
])("an agent of a worker may call %s", (name, values) => {
  expect(() => assertForAgents(name, values)).not.toThrow()
})
