import type { Detected, FolderFiles } from "./detect-commands.ts"
import type { FoundCommand, GateKind } from "./gate-command.ts"
import { isEndless } from "./node-commands.ts"

const TEST_FILE = /(?:^|[._])test\.[cm]?[jt]sx?$/

export async function detectDeno(files: FolderFiles): Promise<Detected> {
  const from = ["deno.json", "deno.jsonc"].find((name) => files.has(name))
  if (from === undefined) return {}
  const text = await files.read(from)
  const task = (name: string): FoundCommand[] => {
    // Settings may have comments, so the task is looked for as text; what it does may also be an object.
    const [, script] =
      new RegExp(`"${name}"\\s*:\\s*(?:\\{[^}]*?"command"\\s*:\\s*)?"((?:[^"\\\\]|\\\\.)*)"`).exec(text) ?? []
    const isTask = script !== undefined && /"tasks"\s*:/.test(text) && !isEndless(script)
    return isTask ? [{ command: ["deno", "task", name], from, script }] : []
  }
  const found: Partial<Record<GateKind, FoundCommand[]>> = {
    build: task("build"),
    test: task("test"),
    lint: task("lint"),
  }
  const hasTests = found.test?.length === 0 && (await files.search(TEST_FILE)).length > 0
  // With a package.json its scripts say how the tests run.
  if (hasTests && !files.has("package.json")) found.test = [{ command: ["deno", "test"], from }]
  if (found.lint?.length === 0 && /"lint"\s*:\s*\{/.test(text)) found.lint = [{ command: ["deno", "lint"], from }]
  return found
}
