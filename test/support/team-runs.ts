// A repository with a plan, for tests that run a whole team on it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { git } from "../e2e/bench.ts"

export interface PlannedTask {
  readonly id: string
  readonly run?: readonly string[]
  readonly needs?: readonly string[]
  readonly [field: string]: unknown
}

/** Makes the folder a repository on `main`, with these files and one commit. */
export function makeRepository(folder: string, files: Readonly<Record<string, string>> = {}): void {
  git(folder, "init", "--quiet", "--initial-branch=main")
  git(folder, "config", "user.name", "Test")
  git(folder, "config", "user.email", "test@example.com")
  for (const [path, content] of Object.entries({ "README.md": "# Shop\n", ...files })) {
    mkdirSync(join(folder, path, ".."), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  git(folder, "add", "--all")
  git(folder, "commit", "--quiet", "-m", "Start")
}

/** A plan document in which each task owns a file of its own name unless it says otherwise. */
export function writePlan(file: string, tasks: readonly PlannedTask[], more: Record<string, unknown> = {}): string {
  const filled = tasks.map(({ id, ...task }) => ({
    ...{ id, title: `Task ${id}`, files: [`f${id}`], acceptance: ["it is there"], ...task },
  }))
  writeFileSync(file, JSON.stringify({ goal: "A shop", ...more, tasks: filled }))
  return file
}

/** Every process whose environment names the folder, by number and command line. */
export function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      if (!readFileSync(`/proc/${name}/environ`, "utf8").includes(folder)) return []
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ")
      return [{ pid: Number(name), command }]
    } catch {
      return [] // it ended meanwhile
    }
  })
}
