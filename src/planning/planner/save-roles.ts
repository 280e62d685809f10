import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Document } from "../../kernel/document.ts"
import { repositoryRoles } from "./load-roles.ts"

/** Writes role-specs where the repository keeps its roles; a file that is there is somebody's, and stays. */
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
