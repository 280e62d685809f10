import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Document } from "../../kernel/document.ts"
import { repositoryRoles } from "./load-roles.ts"

/** Writes roles to the repository's roles folder. Existing files stay. */
export function saveRoles(repository: string, specs: readonly Pick<Document, "path" | "content">[]): string[] {
  const folder = repositoryRoles(repository)
  return specs.flatMap(({ path, content }) => {
    const file = join(folder, basename(path))
    if (existsSync(file)) return []
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, content)
    return [file]
  })
}
