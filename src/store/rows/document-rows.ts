import type { Document } from "../../kernel/document.ts"
import type { DocumentStore } from "../port.ts"
import { insertRow, replaced, type Session } from "./sql-session.ts"
import { table, time } from "./sql-table.ts"

export const DOCUMENT = table<Document>("document", {
  path: "path",
  content: "content",
  encoding: "encoding",
  by: "author",
  createdAt: time("created_at"),
  updatedAt: time("updated_at"),
})

export function documentStore(session: Session): DocumentStore {
  return {
    async list(key) {
      const documents = await DOCUMENT.list(session, "where team_id = ?", [key])
      // Sorted here: databases differ in how they compare texts.
      return documents.sort((a, b) => (a.path < b.path ? -1 : 1))
    },
    async put(key, document) {
      const now = await session.now()
      const row = { team_id: key, ...DOCUMENT.toRow({ ...document, createdAt: now, updatedAt: now }) }
      const update = replaced("content", "encoding", "author", "updated_at")
      await insertRow(session, "document", row, `on conflict (team_id, path) do update set ${update}`)
    },
  }
}
