import { expect, test } from "bun:test"
import { join } from "node:path"
import { makeScratch } from "../support/sandbox.ts"
import { describePostgresSchema, describeSqliteSchema } from "../support/schema.ts"

// `UPDATE_SCHEMA=1 npm test test/integration/schema.test.ts` writes the files anew, for a reviewer to read the difference.
async function compare(file: string, described: string): Promise<void> {
  if (process.env.UPDATE_SCHEMA === "1") await Bun.write(file, described)
  expect(described).toBe(await Bun.file(file).text())
}

test("schema.sqlite.txt is what the migrations make", async () => {
  using scratch = makeScratch("schema")
  const described = await describeSqliteSchema(join(scratch.path, "store.db"))
  await compare("src/store/migrations/schema.sqlite.txt", described)
})

test("schema.postgres.txt is what the migrations make", async () => {
  await compare("src/store/migrations/schema.postgres.txt", await describePostgresSchema())
})
