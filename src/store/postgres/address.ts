import { AppError } from "../../kernel/errors.ts"

/** Where a store is: a database, and a schema in it. */
export interface Address {
  /** For the driver: without our own parameter. */
  readonly url: string
  readonly schema: string
  /** For people: without user, password and settings. */
  readonly place: string
}

const DEFAULT_SCHEMA = "teamwork"
// Such a name needs no quotes anywhere. PostgreSQL reserves names that start with pg_.
const SCHEMA_PATTERN = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/

export function parseAddress(text: string): Address {
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === "" || !isDecodable(url)) {
    // The text is not shown: it may hold a password.
    throw new AppError(
      "config.bad_value",
      "the store's address is not valid; write postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    )
  }
  if (url.hostname.startsWith("[")) {
    throw new AppError(
      "config.bad_value",
      `the driver does not take the address ${url.hostname}; name the host instead`,
    )
  }
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA
  if (!SCHEMA_PATTERN.test(schema)) {
    throw new AppError(
      "config.bad_value",
      `schema ${JSON.stringify(schema.slice(0, 80))} is not valid; use small letters, digits and '_', at most 63, not starting with a digit or pg_`,
      { schema },
    )
  }
  url.searchParams.delete("schema")
  return { url: url.href, schema, place: `postgres://${url.host}${url.pathname}?schema=${schema}` }
}

/** The driver decodes user and password, and throws on a lone per cent sign. */
function isDecodable({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username) !== undefined && decodeURIComponent(password) !== undefined
  } catch {
    return false
  }
}
