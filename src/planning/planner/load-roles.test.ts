import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { BUILT_IN_ROLES } from "../roles/roles.ts"
import { loadRoles } from "./load-roles.ts"

function makeFolders() {
  const scratch = makeScratch("roles")
  const home = join(scratch.path, "home")
  const repository = join(scratch.path, "repository")
  mkdirSync(join(home, "roles"), { recursive: true })
  mkdirSync(join(repository, ".teamwork", "roles"), { recursive: true })
  const put = (path: string, text: string) => writeFileSync(join(scratch.path, path), text)
  return { home, repository, put, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

it("reads the Markdown files of both places and nothing else", () => {
  using folders = makeFolders()
  folders.put("home/roles/api.md", "---\nkind: implementation\n---\nAt home.")
  folders.put("home/roles/notes.txt", "no role")
  folders.put("home/roles/.draft.md", "no role yet")
  folders.put("repository/.teamwork/roles/api.md", "---\nextends: api\n---\nHere.")
  const added = loadRoles(folders).slice(BUILT_IN_ROLES.length)
  expect(added).toMatchObject([
    {
      name: "api",
      source: "repository",
      file: join(folders.repository, ".teamwork/roles/api.md"),
      instructions: "At home.\n\nHere.",
    },
  ])
})

it("needs no folder", () => {
  expect(loadRoles({ home: "/nowhere/home", repository: "/nowhere/here" })).toHaveLength(BUILT_IN_ROLES.length)
})

it("names the file that cannot be read or is too long", () => {
  using folders = makeFolders()
  mkdirSync(join(folders.home, "roles", "folder.md"))
  expect(() => loadRoles(folders)).toThrow("home/roles/folder.md cannot be read (EISDIR)")
  using others = makeFolders()
  others.put("home/roles/long.md", `---\nkind: review\n---\n${"x".repeat(100_000)}`)
  expect(() => loadRoles(others)).toThrow("home/roles/long.md:1: is longer than 100000 characters")
})
