import { describe, expect, it } from "bun:test"
import { relevantWisdom, toWisdom, type Wisdom } from "./wisdom.ts"

const TASK = {
  title: "Endpoint for items",
  description: "Reads the database",
  files: ["src/api/**"],
  role: "backend",
} as const

function wisdom(number: number, text: string, change: Partial<Wisdom> = {}): Wisdom {
  const record = { kind: "wisdom", number, taskId: null, attempt: null, status: "kept", by: "w1" } as const
  const data = { kind: "learning", text, role: null, files: [], count: 1 }
  return { ...toWisdom({ ...record, data, createdAt: "x", updatedAt: "x" }), ...change }
}
const numbers = (all: readonly Wisdom[]) => relevantWisdom(all, TASK).map(({ number }) => number)

describe("the wisdom for a task", () => {
  it("begins with what shares words or files with it, then its role, then the newest", () => {
    const all = [
      wisdom(1, "Buttons are blue"),
      wisdom(2, "The database allows two connections"),
      wisdom(3, "Pages load lazily", { role: "backend" }),
      wisdom(4, "Icons are round"),
      wisdom(5, "It answers in JSON", { files: ["src/api/items.ts"] }),
    ]
    expect(numbers(all)).toEqual([5, 2, 3, 4, 1])
  })

  it("is bounded in number and length", () => {
    const many = Array.from({ length: 30 }, (_, index) => wisdom(index + 1, `Fact ${index}`))
    expect(numbers(many)).toEqual([30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19])
    const [first] = relevantWisdom([wisdom(1, "x".repeat(5000))], TASK)
    expect(first?.text).toBe(`${"x".repeat(599)}…`)
    const long = Array.from({ length: 12 }, (_, index) => wisdom(index + 1, "y".repeat(600)))
    expect(numbers(long)).toEqual([12, 11, 10, 9, 8, 7])
  })
})
