import type { Document } from "../../kernel/document.ts"
import type { DocumentStore } from "../port.ts"
import { iso, type Session } from "./sql-session.ts"

interface DocumentRow {
  path: string
  content: string
  encoding: Document["encoding"]
  author: string
  created_at: number
  updated_at: number
}

export function documentStore(session: Session): DocumentStore {
  return {
    async list(key) {
      const rows = await session.all<DocumentRow>(
        "select path, content, encoding, author, created_at, updated_at from document where team_id = ?",
        [key],
      )
      // Sorted here: databases differ in how they compare texts.
      rows.sort((a, b) => (a.path < b.path ? -1 : 1))
      return rows.map((row) => ({
        path: row.path,
        content: row.content,
        encoding: row.encoding,
        by: row.author,
        createdAt: iso(row.created_at),
        updatedAt: iso(row.updated_at),
      }))
    },
    async put(key, { path, content, encoding, by }) {
      const now = await session.now()
      await session.run(
        `insert into document (team_id, path, content, encoding, author, created_at, updated_at)
         values (?, ?, ?, ?, ?, ?, ?)
         on conflict (team_id, path) do update set content = excluded.content, encoding = excluded.encoding,
           author = excluded.author, updated_at = excluded.updated_at`,
        [key, path, content, encoding, by, now, now],
      )
    },
  }
}
