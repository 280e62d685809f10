import { expect, it } from "bun:test"
import { makeTask } from "../../../test/support/tasks.ts"
import { parseTaskId } from "../../kernel/ids.ts"
import type { Task } from "../../tasks/task.ts"
import { groupDeliverables } from "../deliverables.ts"
import { deliverableFiles, renderDeliverables } from "./deliverables-view.ts"

const done = (id: string, change: Partial<Task>) =>
  makeTask({ id: parseTaskId(id), role: "worker", status: "resolved", ...change })
const FILES: Readonly<Record<string, readonly string[]>> = {
  api: ["src/api.ts", "logo.png"],
  guide: ["docs/guide.md"],
  more: ["docs/guide.md", "docs/more.md"],
  look: ["design/page.css"],
}
const TEXTS: Readonly<Record<string, string>> = {
  ...{ "package.json": "{}\n", "src/api.ts": "export {}\n", "design/page.css": "a {}\n" },
  ...{ "docs/guide.md": "# Guide\n\n```\n# no heading\n```\n", "docs/more.md": "# More\n\n## Deep\n" },
}
const WORK = groupDeliverables(
  [
    done("api", { title: "Add the endpoint", result: "It answers. All of it." }),
    done("guide", { title: "Write the guide", result: "Written." }),
    done("more", { title: "Write the manual", result: "Written." }),
    done("find", { title: "Find out which database fits", result: "SQLite fits. It needs no server.\nMore text." }),
    done("look", { title: "Design the page", result: null }),
    makeTask({ id: parseTaskId("open"), title: "Add the page" }),
  ],
  { filesOf: ({ id }) => FILES[id] ?? [], madeRoles: new Map() },
)
const made = new Map(
  deliverableFiles("A shop\nwith pages", WORK, (path) => TEXTS[path]).map((file) => [file.path, String(file.content)]),
)

it("groups what is done by the type of work", () => {
  expect(WORK.map(({ type, tasks }) => [type, tasks.map(({ id }) => id)])).toEqual([
    ["code", ["api"]],
    ["document", ["guide", "more"]],
    ["research", ["find"]],
    ["design", ["look"]],
  ] as never)
  expect(renderDeliverables(WORK, { columns: 80, color: false })).toContain("code      api    Add the endpoint")
  expect(renderDeliverables([], { columns: 80, color: false })).toBe("Nothing is done yet")
})

it("names everything in one page", () => {
  expect(made.get("DELIVERABLES.md")).toBe(`# A shop

> with pages

- [code](code/README.md): 1 task, 2 files
- [document](document/DOCUMENT.md): 2 tasks, 2 files
- [research](research/SYNTHESIS.md): 1 task, 0 files
- [design](design/SPECIFICATION.md): 1 task, 1 file
`)
})

it("hands code over with a README, the manifest and the sources, and says what could not be copied", () => {
  expect(made.get("code/README.md")).toContain(
    "## Add the endpoint (api)\n\nIt answers. All of it.\n\n- `logo.png` (not copied: see the repository)\n- `src/api.ts`\n",
  )
  expect(made.get("code/files/src/api.ts")).toBe("export {}\n")
  expect(made.get("code/files/package.json")).toBe("{}\n")
  expect(made.has("code/files/logo.png")).toBe(false)
})

it("makes one document of all pages, with contents, each page once and below its part", () => {
  const text = made.get("document/DOCUMENT.md") ?? ""
  expect(text).toContain(
    "## Contents\n\n1. [Write the guide (guide)](#part-1)\n2. [Write the manual (more)](#part-2)\n",
  )
  expect([...text.matchAll(/^#+ .*/gm)].map(String)).toEqual([
    ...["# A shop", "## Contents", "## 1. Write the guide (guide)", "## 2. Write the manual (more)"],
    ...["### Guide", "# no heading", "### More", "#### Deep"],
  ])
})

it("sums research up before it tells it", () => {
  expect(made.get("research/SYNTHESIS.md")).toBe(`# A shop

## Executive summary

- **Find out which database fits (find):** SQLite fits.

## Findings

### Find out which database fits (find)

SQLite fits. It needs no server.
More text.
`)
})

it("packs a design with its specification", () => {
  expect(made.get("design/SPECIFICATION.md")).toContain(
    "## Design the page (look)\n\nNo result was written down.\n\n- `design/page.css`",
  )
  expect(made.get("design/files/design/page.css")).toBe("a {}\n")
})
