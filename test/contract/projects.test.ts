// Which repository a project belongs to, on every store.
import { describe, expect, it } from "bun:test"
import type { RepositoryId, RepositoryPlace } from "../../src/kernel/repository.ts"
import { linkProject, unlinkProject } from "../../src/teams/operations/link-project.ts"
import { listProjects } from "../../src/teams/operations/list-projects.ts"
import { nameProject, ownProject } from "../../src/teams/operations/own-project.ts"
import { makeTeam, refusal, STORES } from "../support/stores.ts"

const never = async () => false
const always = async () => true

function placeOf(letter: string, name = "api") {
  const folder = `/${letter}/${name}`
  const id = letter.repeat(32) as RepositoryId
  return { id, gitDir: `${folder}/.git`, folder, name, earlierName: name }
}
const [a, b, c] = [placeOf("a"), placeOf("b"), placeOf("c")]
const own = (place: ReturnType<typeof placeOf>, project = "api") => ({
  ...{ project, place, hasRefs: false, isDefault: true },
})

for (const [name, makeDatabase] of Object.entries(STORES)) {
  describe(`projects: ${name}`, () => {
    it("a name belongs to the first repository that uses it, and the next gets another", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const unknown: RepositoryPlace = { ...a, id: null }
      expect(await nameProject({ store }, unknown, never)).toBe("api")
      await ownProject({ store }, own(a))
      await ownProject({ store }, own(a))
      expect(await nameProject({ store }, a, never)).toBe("api")
      expect(await nameProject({ store }, b, never)).toBe("api-2")
      await ownProject({ store }, own(b, "api-2"))
      expect(await nameProject({ store }, c, never)).toBe("api-3")
      expect(await nameProject({ store }, { ...b, name: "other" }, never)).toBe("api-2")
      expect(await nameProject({ store }, unknown, never)).toBe("api-3")
    })

    it("of two repositories that begin at once, one gets the name", async () => {
      await using db = await makeDatabase()
      const stores = [await db.connect(), await db.connect()]
      const begun = await Promise.allSettled(
        [a, b].map((place, index) => ownProject({ store: stores[index] ?? fail() }, own(place))),
      )
      expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
      const rows = await (stores[0] ?? fail()).read((tx) => tx.projects.of("api"))
      expect(rows).toHaveLength(1)
    })

    it("a project of another repository is refused, with where it lives", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      await ownProject({ store }, own(a))
      const error = await refusal(ownProject({ store }, own(b)))
      expect(error).toMatchObject({
        ...{ code: "project.elsewhere", details: { project: "api", folders: ["/a/api"] } },
        message: expect.stringContaining("belongs to the repository in /a/api; go there"),
      })
    })

    it("a repository may have several projects, and one that commands are about without a name", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      await ownProject({ store }, { ...own(a, "extra"), isDefault: false })
      expect(await nameProject({ store }, a, never)).toBe("api")
      await ownProject({ store }, own(a))
      await ownProject({ store }, own(a, "third"))
      expect(await nameProject({ store }, a, never)).toBe("api")
      expect((await store.read((tx) => tx.projects.in(a.id))).map(({ project }) => project)).toEqual([
        ...["api", "extra", "third"],
      ])
    })

    it("a repository that was moved keeps its project", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      await ownProject({ store }, own(a))
      const moved = { ...a, gitDir: "/new/.git", folder: "/new", name: "new" }
      expect(await nameProject({ store }, moved, never)).toBe("api")
      await ownProject({ store }, own(moved))
      expect(await store.read((tx) => tx.projects.of("api"))).toMatchObject([{ gitDir: "/new/.git", folder: "/new" }])
    })

    it("a project without a repository goes to the first, or to the one that has its work", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const { key } = await makeTeam(store, { project: "api" })
      expect(await nameProject({ store }, b, never)).toBe("api")
      const made = { worker: "w1", path: "/w", branch: "b", base: "c" } as never
      await store.write((tx) => tx.events.append(key, "w1", { type: "workspace.created", data: made }))
      expect(await nameProject({ store }, b, never)).toBe("api-2")
      expect(await nameProject({ store }, a, always)).toBe("api")
      const error = await refusal(ownProject({ store }, own(b)))
      expect([error.code, error.message]).toEqual([
        "project.elsewhere",
        expect.stringContaining("project api has work in another repository"),
      ])
      await ownProject({ store }, { ...own(a), hasRefs: true })
      expect(await nameProject({ store }, a, never)).toBe("api")
    })

    it("what an earlier version called it is kept where its work is here", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      const { key } = await makeTeam(store, { project: "project" })
      const place = { ...a, name: "project-123abc", earlierName: "project" }
      expect(await nameProject({ store }, place, always)).toBe("project-123abc")
      const made = { worker: "w1", path: "/w", branch: "b", base: "c" } as never
      await store.write((tx) => tx.events.append(key, "w1", { type: "workspace.created", data: made }))
      expect(await nameProject({ store }, place, never)).toBe("project-123abc")
      expect(await nameProject({ store }, place, always)).toBe("project")
    })

    it("a link attaches a repository, and can be undone", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      await ownProject({ store }, own(a))
      await ownProject({ store }, own(b, "api-2"))
      const link = { project: "api", place: b }
      expect(await linkProject({ store }, link)).toMatchObject({ changed: true, defaultProject: "api" })
      expect(await linkProject({ store }, link)).toMatchObject({ changed: false, defaultProject: "api" })
      expect(await nameProject({ store }, b, never)).toBe("api")
      await ownProject({ store }, own(b))
      await makeTeam(store, { project: "api" })
      expect(await listProjects({ store })).toMatchObject([
        {
          ...{ project: "api", team: "main" },
          repositories: [
            { folder: "/a/api", isLinked: false },
            { folder: "/b/api", isLinked: true },
          ],
        },
      ])
      expect(await unlinkProject({ store }, link)).toMatchObject({ changed: true, defaultProject: "api-2" })
      expect(await nameProject({ store }, b, never)).toBe("api-2")
      expect((await refusal(unlinkProject({ store }, link))).code).toBe("project.not_linked")
      expect((await refusal(linkProject({ store }, { ...link, project: "none" }))).code).toBe("project.not_found")
      expect((await refusal(ownProject({ store }, own(b)))).code).toBe("project.elsewhere")
    })

    it("a project that lives nowhere gets its repository by a link", async () => {
      await using db = await makeDatabase()
      const store = await db.connect()
      await makeTeam(store, { project: "imported" })
      await linkProject({ store }, { project: "imported", place: c })
      expect(await store.read((tx) => tx.projects.of("imported"))).toMatchObject([
        { repository: c.id, isLinked: false, isDefault: true },
      ])
    })
  })
}

function fail(): never {
  throw new Error("no store")
}
