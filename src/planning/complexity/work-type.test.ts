import { expect, it } from "bun:test"
import { makeTask } from "../../../test/support/tasks.ts"
import type { Task } from "../../tasks/task.ts"
import { workTypeOf } from "./work-type.ts"

it.each<[string, Partial<Task>]>([
  ["code", { title: "Add the endpoint" }],
  ["code", { title: "Describe items", role: "backend" }],
  ["code", { title: "Clean the words", files: ["words.txt"] }],
  ["document", { title: "Say how it is used", files: ["docs/**", "README.md"] }],
  ["document", { title: "Write the guide for translators" }],
  ["document", { title: "Anything", role: "docs" }],
  ["research", { title: "Find out which languages come next" }],
  ["research", { title: "Please review the endpoint" }],
  ["research", { title: "Anything", agentType: "explorer" }],
  ["design", { title: "Design the page" }],
  ["design", { title: "Anything", files: ["design/page.css", "icons/*.svg"] }],
  ["code", { title: "Anything", files: ["docs/a.md", "src/a.ts"] }],
])("%s comes of %j", (type, task) => {
  expect(workTypeOf(makeTask({ role: "worker", ...task }))).toBe(type as never)
})

it("goes by what a made role is responsible for, before files and words", () => {
  const task = makeTask({ role: "worker", title: "Add the endpoint", agentType: "scanner", files: ["a.md"] })
  expect(workTypeOf(task, "exploration")).toBe("research")
  expect(workTypeOf(task, "synthesis")).toBe("document")
  expect(
    workTypeOf(makeTask({ role: "worker", title: "Add the endpoint", agentType: "scanner" }), "implementation"),
  ).toBe("code")
})
