import { expect, it } from "bun:test"
import { planOf } from "../../test/support/plans.ts"
import { orderByRules } from "./order-tasks.ts"

const order = (...tasks: Record<string, unknown>[]) => {
  const ordered = orderByRules(planOf(tasks).tasks)
  return { notes: ordered.notes, needs: ordered.tasks.map(({ needs }) => [...needs]) as string[][] }
}

it("lets type definitions come before whoever names their file", () => {
  const types = { id: "types", files: ["src/types.ts"] }
  const { notes, needs } = order({ id: "cart", description: "Use Item of `src/types.ts`." }, types, { id: "docs" })
  expect(notes).toEqual(["task cart waits for types: it uses src/types.ts, which types defines"])
  expect(needs).toEqual([["types"], [], []])
  for (const files of [["types/"], ["src/api.d.ts"], ["lib/cart.types.ts"], ["src/interfaces/**"]]) {
    const [file = ""] = files
    const path = file.replace(/\/(?:\*\*)?$/, "/a.ts")
    expect(order({ id: "t", files }, { id: "u", acceptance: [`uses ${path}`] }).needs).toEqual([[], ["t"]])
  }
})

it("lets a schema come before the API on top of it", () => {
  const schema = { id: "db", files: ["db/migrations/**"] }
  expect(order({ id: "api", title: "Add the endpoints" }, schema)).toEqual({
    notes: ["task api waits for db: a schema comes before the API on top of it"],
    needs: [["db"], []],
  })
  expect(order({ id: "db", title: "Database schema" }, { id: "r", files: ["src/routes/**"] }).needs).toEqual([
    [],
    ["db"],
  ])
})

it("leaves alone who waits already, in either direction, and who only looks back", () => {
  const schema = { id: "db", files: ["schema.sql"] }
  const none = (result: ReturnType<typeof order>) => expect(result.notes).toEqual([])
  none(order(schema, { id: "api", title: "API", needs: ["mid"] }, { id: "mid", needs: ["db"] }))
  none(order({ ...schema, needs: ["api"] }, { id: "api", title: "API" }))
  none(
    order(
      schema,
      { id: "t", title: "Test the API", role: "test" },
      { id: "r", title: "Review the API", role: "review" },
    ),
  )
  none(order(schema, { id: "page", title: "Page" }))
  none(order({ id: "a", title: "Schema of the API", files: ["src/api/**"] }, { id: "b", title: "API" }))
})

it("never closes a circle by what it adds", () => {
  const { needs, notes } = order(
    { id: "types", files: ["src/types.ts"], description: "as in src/api/routes.ts" },
    { id: "db", files: ["schema.sql"], description: "see src/types.ts" },
    { id: "api", title: "API", description: "uses src/types.ts", needs: [] },
  )
  expect(notes).toHaveLength(2)
  expect(needs).toEqual([[], ["types"], ["db"]]) // and so it waits for the types as well
})
