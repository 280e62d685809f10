import { expect, it } from "bun:test"
import fc from "fast-check"
import { sayPath } from "./plan.ts"
import { readPlan } from "./read-plan.ts"

const said = (value: unknown) => readPlan(value).problems.map(({ path, message }) => `${sayPath(path)}: ${message}`)

it("reads what was said and fills in the rest", () => {
  const { plan, problems } = readPlan({
    $schema: "plan.schema.json",
    goal: "g",
    schedule: "eager",
    mode: "SUPERVISED",
    workers: "backend:2,test:1",
    defaults: { role: "backend", checks: ["make"], effort: "low" },
    tasks: [
      { title: "One", needs: [], acceptance: "it works" },
      { id: 7, title: "Two", needs: 1, role: "test", checks: [], files: "a", grantShared: true, model: null },
    ],
  })
  expect(problems).toEqual([])
  const empty = { description: "", acceptance: [], run: [], repair: [] }
  const [one, two] = plan.tasks
  expect({ ...plan, tasks: [] }).toEqual({
    ...{ goal: "g", schedule: "eager", mode: "SUPERVISED", workers: "backend:2,test:1", tasks: [] },
  })
  expect(one as unknown).toEqual({
    ...{ ...empty, id: "1", title: "One", acceptance: ["it works"], role: "backend", checks: ["make"], effort: "low" },
    ...{ needs: [], files: [], priority: 0, grantShared: false },
  })
  expect(two as unknown).toEqual({
    ...{ ...empty, id: "7", title: "Two", role: "test", checks: [], effort: "low", needs: ["1"], files: ["a"] },
    priority: 0,
    grantShared: true,
  })
})

it("names each field that is wrong", () => {
  expect(said(null)).toEqual([": is not a plan; it needs a goal and tasks, see docs/plans.md"])
  expect(said([])).toEqual(said("text"))
  expect(said({})).toEqual([": goal is missing", ": tasks is missing"])
  expect(said({ goal: "g", tasks: [] })).toEqual(["tasks: has no task"])
  expect(said({ goal: "g", tasks: "all" })).toEqual(["tasks: is not a list"])
  expect(said({ goal: "g", tasks: ["one"] })).toEqual(["tasks[0]: is not a task; write it as title: ..., id: ..."])
  const wrong = {
    goal: ["g"],
    mode: "AUTO",
    workers: "many",
    defaults: { title: "x" },
    task: [],
    tasks: [
      { title: "", id: "../x", role: "fronted", needs: [{ a: 1 }], files: ["!a"], description: 5, agentType: 5 },
      { titel: "x", grantShared: "yes", acceptance: { a: 1 }, run: [[]], complexity: "huge" },
    ],
  }
  expect(said(wrong)).toEqual([
    "task: is not known here; did you mean tasks?",
    "goal: is not a text",
    'mode: "AUTO" is not one of FULL_AUTO, SUPERVISED',
    'workers: "many" is not one of: auto, a number, backend:2,test:1, or 0 to start none',
    "defaults.title: is not known here; there are role, agentType, complexity, agent, model, effort, checks",
    expect.stringContaining('tasks[0].id: "../x" is not valid; use letters, digits'),
    "tasks[0].title: must not be empty",
    'tasks[0].role: "fronted" is not one of frontend, backend, devops, test, docs, security, review, worker; did you mean frontend?',
    "tasks[0].needs[0]: is not a text",
    'tasks[0].files[0]: "!a" is not valid: a pattern adds files to a task; it cannot exclude files with !',
    "tasks[1].titel: is not known here; did you mean title?",
    "tasks[1]: title is missing",
    "tasks[1].acceptance[0]: is not a text",
    'tasks[1].complexity: "huge" is not one of simple, standard, complex',
    "tasks[1].grantShared: is not true or false",
    "tasks[1].run[0]: is not a text",
  ])
})

it("takes anything without falling over, and says something of all that is no plan", () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, maxDepth: 4 }), (value) => {
      const { plan, problems } = readPlan(value)
      expect(problems.length > 0 || plan.tasks.length > 0).toBe(true)
    }),
    { numRuns: 500 },
  )
  const tasks = fc.array(fc.dictionary(fc.constantFrom("id", "title", "needs", "files", "role", "x"), fc.anything()))
  fc.assert(
    fc.property(tasks, (given) => {
      for (const task of readPlan({ goal: "g", tasks: given }).plan.tasks) {
        expect(typeof task.title).toBe("string")
        expect([...task.needs, ...task.files].every((item) => typeof item === "string")).toBe(true)
      }
    }),
    { numRuns: 500 },
  )
})
