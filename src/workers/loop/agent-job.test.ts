import { expect, it } from "bun:test"
import { makeTask } from "../../../test/support/tasks.ts"
import { NO_WORK } from "../../tasks/task.ts"
import { commandsOf, isScripted, taskVariables } from "./agent-job.ts"

const task = makeTask({ attempt: 2, work: { ...NO_WORK, commands: ["make"], repair: ["mend"] } })
const fix = { of: "7", head: "abc" }

it("tells a command what it is run for, and what it mends", () => {
  const facts = { task, worker: "w1", integration: "teamwork/house/main/integration", turn: 3 }
  const plain = {
    TEAMWORK_TASK: "1",
    TEAMWORK_ATTEMPT: "2",
    TEAMWORK_TURN: "3",
    TEAMWORK_WORKER: "w1",
    TEAMWORK_INTEGRATION: "teamwork/house/main/integration",
  }
  expect(taskVariables(facts)).toEqual(plain)
  expect(taskVariables({ ...facts, fix })).toEqual({ ...plain, TEAMWORK_FIX_OF: "7", TEAMWORK_FIX_HEAD: "abc" })
})

it("runs the commands for repair where something is to be mended and there are some", () => {
  expect(commandsOf({ task, turn: 1 })).toEqual(["make"])
  expect(commandsOf({ task, turn: 2 })).toEqual(["mend"])
  expect(commandsOf({ task, turn: 1, fix })).toEqual(["mend"])
  const without = makeTask({ work: { ...NO_WORK, commands: ["make"] } })
  expect(commandsOf({ task: without, turn: 2, fix })).toEqual(["make"])
})

it("knows a task that is done by its own commands", () => {
  const scripted = (work: object) => isScripted(makeTask({ work: { ...NO_WORK, ...work } }))
  expect([scripted({ commands: ["make"] }), scripted({ agent: "script" })]).toEqual([true, true])
  expect([scripted({}), scripted({ agent: "claude", commands: ["make"] })]).toEqual([false, false])
})
