import { expect, it } from "bun:test"
import { SAMPLE_TEAM } from "../../../test/support/sample-team.ts"
import { filesOf } from "../../../test/support/snapshots.ts"

// `UPDATE_DOCS=1 npm test -- views/files/docs` writes the examples anew.
const PAGE = "docs/files.md"
const EXAMPLE = /^### `([^`]+)`\n```(\w+)\n([\s\S]*?)```$/gm

it("docs/files.md shows every file of an export as it is", async () => {
  const files = filesOf(SAMPLE_TEAM)
  const page = await Bun.file(PAGE).text()
  const shown: string[] = []
  const made = page.replaceAll(EXAMPLE, (_, path: string, language: string) => {
    shown.push(path)
    const file = files.find((each) => each.path === path)
    return `### \`${path}\`\n\`\`\`${language}\n${file?.content}\`\`\``
  })
  if (process.env.UPDATE_DOCS === "1") await Bun.write(PAGE, made)
  expect(await Bun.file(PAGE).text()).toBe(made)
  const kinds = (paths: readonly string[]) => new Set(paths.map(kindOf))
  const documents = ["wisdom/learnings.md", "documents/tasks%2Fold-plan.md"]
  expect(kinds(shown)).toEqual(kinds(files.map((file) => file.path).filter((path) => !documents.includes(path))))
})

/** One example is enough of the files that are named after what they hold. */
function kindOf(path: string): string {
  return path.replace(/^(tasks|swarm\/workers|inboxes|\.loop-state)\/.*/, "$1")
}
