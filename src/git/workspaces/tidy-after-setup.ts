import { appendFileSync, existsSync, writeFileSync } from "node:fs"
import { exclude, notIgnored } from "./copy-files.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, gitIn } from "./workspace-record.ts"

/**
 * A set-up is not work of the task. Restores tracked files, adds a `.gitignore` to new folders, and excludes single
 * new files by name.
 */
export async function tidyAfterSetup(context: WorkspaceContext, found: FoundWorkspace): Promise<void> {
  const git = gitIn(context, found)
  const flags = ["-t", "--modified", "--deleted", "--others", "--directory", "--exclude-standard", "-z"]
  const entries = (await git.list(["ls-files", ...flags])).map((entry) => ({
    isNew: entry.startsWith("? "),
    file: entry.slice(2),
  }))
  const changed = new Set(entries.filter(({ isNew }) => !isNew).map(({ file }) => file))
  if (changed.size > 0) {
    const input = [...changed].map((file) => `${file}\0`).join("")
    await git.read(["checkout-index", "--force", "--index", "-z", "--stdin"], { input })
  }
  const files = entries.filter(({ isNew }) => isNew).map(({ file }) => file)
  for (const folder of files.filter((file) => file.endsWith("/"))) {
    const ignore = `${found.path}/${folder}.gitignore`
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n")
  }
  const single = await notIgnored(
    git,
    files.filter((file) => !file.endsWith("/")),
  )
  await exclude(context, found, single)
  if (single.length > 0) appendFileSync(`${found.gitDir}/info/exclude`, `${single.join("\n")}\n`)
}
