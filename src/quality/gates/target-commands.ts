import type { Detected, FolderFiles } from "./detect-commands.ts"
import type { FoundCommand, GateKind } from "./gate-command.ts"

interface Runner {
  readonly program: string
  readonly files: readonly string[]
  readonly recipe: (text: string, target: string) => string | undefined
}

const RUNNERS: readonly Runner[] = [
  { program: "make", files: ["GNUmakefile", "makefile", "Makefile"], recipe: makeRecipe },
  { program: "just", files: ["justfile", "Justfile", ".justfile"], recipe: justRecipe },
  {
    program: "task",
    files: ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml", "Taskfile.dist.yaml"],
    recipe: taskRecipe,
  },
]

const TARGETS: Readonly<Record<GateKind, readonly string[]>> = {
  build: ["build", "all"],
  test: ["test", "tests", "check", "ci"],
  lint: ["lint"],
}

/** make, just and task; each kind from the first file that has one. */
export async function detectTargets(files: FolderFiles): Promise<Detected> {
  const found: Partial<Record<GateKind, readonly FoundCommand[]>> = {}
  for (const { program, files: names, recipe } of RUNNERS) {
    const from = names.find((name) => files.has(name))
    if (from === undefined) continue
    const text = await files.read(from)
    for (const [kind, targets] of Object.entries(TARGETS) as [GateKind, readonly string[]][]) {
      const target = targets.find((each) => recipe(text, each) !== undefined)
      if (found[kind] !== undefined || target === undefined) continue
      found[kind] = [{ command: [program, target], from, script: recipe(text, target) ?? "" }]
    }
  }
  return found
}

/** `test: deps` and `test :: deps`, but not the assignment `test := x`. */
function makeRecipe(text: string, target: string): string | undefined {
  return block(text, new RegExp(`^(?:[\\w.-]+[ \\t]+)*${target}(?:[ \\t]+[\\w.-]+)*[ \\t]*:(?!:*=)`))
}

/** `test *args: build`, perhaps with `@` in front. */
function justRecipe(text: string, target: string): string | undefined {
  return block(text, new RegExp(`^@?${target}(?:[ \\t]+[^:=\\n]*(?:=[^:\\n]*)?)?:(?!=)`))
}

/** A key right below `tasks:`. */
function taskRecipe(text: string, target: string): string | undefined {
  const tasks = block(text, /^tasks:\s*$/)
  const indent = /^( +)\S/m.exec(tasks?.split("\n").slice(1).join("\n") ?? "")?.[1]
  if (tasks === undefined || indent === undefined) return undefined
  const inside = tasks
    .split("\n")
    .slice(1)
    .map((line) => line.slice(indent.length))
  return block(inside.join("\n"), new RegExp(`^["']?${target}["']?:`))
}

/** With the empty and indented lines below it. */
function block(text: string, head: RegExp): string | undefined {
  const lines = text.split(/\r?\n/)
  const from = lines.findIndex((line) => head.test(line))
  if (from < 0) return undefined
  const length = lines.slice(from + 1).findIndex((line) => /^\S/.test(line))
  return lines.slice(from, length < 0 ? undefined : from + 1 + length).join("\n")
}
