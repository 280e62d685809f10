import { Database } from "bun:sqlite"
import postgres from "postgres"
import { systemClock } from "../../src/lib/clock.ts"
import { openPostgresStore } from "../../src/store/postgres/store.ts"
import { openSqliteStore } from "../../src/store/sqlite/store.ts"
import { freshSchema } from "./postgres.ts"

/** What the catalog of a freshly migrated database says, in a form that reads well in a diff. */
export async function describeSqliteSchema(path: string): Promise<string> {
  await using _store = await openSqliteStore({ path, clock: systemClock })
  const db = new Database(path, { readonly: true })
  try {
    const rows = db
      .query("select type, name, sql from sqlite_master where sql is not null order by tbl_name, type desc, name")
      .all() as { type: string; name: string; sql: string }[]
    return `${rows.map((row) => row.sql).join("\n\n")}\n`
  } finally {
    db.close()
  }
}

export async function describePostgresSchema(): Promise<string> {
  const schema = await freshSchema()
  await using _store = await openPostgresStore({ url: schema.url })
  const url = new URL(schema.url)
  url.searchParams.delete("schema")
  const sql = postgres(url.href, { max: 1, onnotice: () => {} })
  try {
    const lines = await sql<{ line: string }[]>`
      select line from (
        select c.relname as object, 1 as part, a.attnum as position,
          format('table %s: %s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
            case when a.attnotnull then ' not null' else '' end,
            case when a.attidentity <> '' then ' identity'
              when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as line
        from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where c.relnamespace = ${schema.schema}::regnamespace and c.relkind = 'r'
        union all
        select tablename, 2, 0, replace(indexdef, ${`${schema.schema}.`}, '') from pg_indexes where schemaname = ${schema.schema}
        union all
        select t.tgrelid::regclass::text, 3, 0, replace(pg_get_triggerdef(t.oid), ${`${schema.schema}.`}, '')
        from pg_trigger t join pg_class c on c.oid = t.tgrelid
        where c.relnamespace = ${schema.schema}::regnamespace and not t.tgisinternal
        union all
        select 'function', 4, 0, replace(pg_get_functiondef(p.oid), ${`${schema.schema}.`}, '')
        from pg_proc p where p.pronamespace = ${schema.schema}::regnamespace
      ) described order by part = 4, object, part, position, line`
    return `${lines.map((row) => row.line.trimEnd()).join("\n")}\n`
  } finally {
    await sql.end()
    await schema.drop()
  }
}
