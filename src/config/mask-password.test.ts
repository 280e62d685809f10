import { expect, test } from "bun:test"
import { maskPassword } from "./mask-password.ts"

test.each([
  ["postgres://ann:s3cret@db.example/x", "postgres://ann:***@db.example/x"],
  ["postgres://ann:p@ss:w/ord@db/x", "postgres://ann:***@db/x"],
  ["postgres://:only@db/x", "postgres://:***@db/x"],
  ["postgres://db/x?user=ann&password=s3cret&ssl=1", "postgres://db/x?user=ann&password=***&ssl=1"],
  ["postgres://ann@db:5432/x", "postgres://ann@db:5432/x"],
  ["postgres://db:5432/x", "postgres://db:5432/x"],
  ["sqlite:/a/b.db", "sqlite:/a/b.db"],
])("%s", (text, shown) => {
  expect(maskPassword(text)).toBe(shown)
})
