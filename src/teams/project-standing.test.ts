import { expect, test } from "bun:test"
import { isId } from "../kernel/ids.ts"
import type { ProjectRepository, RepositoryId } from "../kernel/repository.ts"
import { possibleNames, standingOf } from "./project-standing.ts"

const id = "a".repeat(32) as RepositoryId
const other = "b".repeat(32) as RepositoryId
const inRepository = (repository: RepositoryId): ProjectRepository => ({
  ...{ project: "api", repository, gitDir: "/x/.git", folder: "/x" },
  ...{ isDefault: true, isLinked: false, addedAt: "2026-01-01T00:00:00.000Z" },
})

test("what a project is to a repository", () => {
  const none = { repositories: [], hasTeams: false, hasWork: false }
  expect(standingOf(none, id)).toBe("free")
  expect(standingOf({ ...none, hasTeams: true }, id)).toBe("unclaimed")
  expect(standingOf({ ...none, hasTeams: true, hasWork: true }, id)).toBe("worked")
  expect(standingOf({ ...none, repositories: [inRepository(other)] }, id)).toBe("taken")
  expect(standingOf({ ...none, repositories: [inRepository(other)] }, null)).toBe("taken")
  expect(standingOf({ ...none, repositories: [inRepository(other), inRepository(id)] }, id)).toBe("own")
})

test("the next names are ids too, however long the name is", () => {
  const names = possibleNames("a".repeat(64))
  const three = [names.next().value, names.next().value, names.next().value]
  expect(three.every((name) => isId(name))).toBe(true)
  expect(new Set(three).size).toBe(3)
  const plain = possibleNames("api")
  expect([plain.next().value, plain.next().value, plain.next().value]).toEqual(["api", "api-2", "api-3"])
})
