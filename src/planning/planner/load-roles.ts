import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Document } from "../../kernel/document.ts"
import { AppError } from "../../kernel/errors.ts"
import { codeOf } from "../../lib/error-code.ts"
import { type KnownRole, mergeRoles } from "../roles/merge-roles.ts"
import { bad, parseRoleFile, type RoleFile } from "../roles/role-file.ts"

/** An agent reads its role with every task. */
const MAX_CHARACTERS = 100_000

interface RolePlaces {
  readonly home: string
  readonly repository: string
  readonly team?: readonly RoleFile[]
}

/** Of repository, home and team. */
export function loadRoles({ home, repository, team = [] }: RolePlaces): KnownRole[] {
  return mergeRoles({
    home: readRoleFiles(join(home, "roles")),
    team,
    repository: readRoleFiles(repositoryRoles(repository)),
  })
}

function repositoryRoles(repository: string): string {
  return join(repository, ".teamwork", "roles")
}

function readRoleFiles(folder: string): RoleFile[] {
  return listFiles(folder).map((name) => {
    const file = join(folder, name)
    const text = readText(file)
    if (text.length > MAX_CHARACTERS) throw bad(file, 1, `is longer than ${MAX_CHARACTERS} characters`)
    return parseRoleFile(file, text)
  })
}

function listFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder)
    return names.filter((name) => name.endsWith(".md") && !name.startsWith(".")).sort()
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw unreadable(folder, error)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(path: string, error: unknown): AppError {
  const why = codeOf(error) ?? String(error)
  return new AppError("role.bad_file", `${path} cannot be read (${why})`, { file: path }, { cause: error })
}

/** Keeps existing files. */
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
