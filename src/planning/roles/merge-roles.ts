import type { AppError } from "../../kernel/errors.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { bad, type RoleFile } from "./role-file.ts"
import { BUILT_IN_ROLES, EFFORT_OF, getRole, RESPONSIBILITY_OF, type RoleDefinition } from "./roles.ts"

/** Each overrides those before it. `team`: made for the team. */
export const ROLE_SOURCES = ["built-in", "home", "team", "repository"] as const
export type RoleSource = (typeof ROLE_SOURCES)[number]

export interface KnownRole extends RoleDefinition {
  readonly source: RoleSource
  /** Null if built-in. */
  readonly file: string | null
  readonly extends: string | null
}

interface Entry {
  readonly source: RoleSource
  readonly file: RoleFile
}

/** Built-in roles first, then files, by name. A file that extends its own name extends the role it overrides. */
export function mergeRoles(files: Readonly<Record<"home" | "team" | "repository", readonly RoleFile[]>>): KnownRole[] {
  const stacks = new Map<string, Entry[]>()
  for (const source of ["home", "team", "repository"] as const) {
    for (const file of files[source]) stacks.set(file.name, [...(stacks.get(file.name) ?? []), { source, file }])
    assertUnique(files[source])
  }
  const builtIn = BUILT_IN_ROLES.map((role) => role.name)
  const others = [...stacks.keys()].filter((name) => !builtIn.includes(name)).toSorted()
  const names = [...builtIn, ...others]
  return names.map((name) => resolve({ stacks, names }, { name, depth: stacks.get(name)?.length ?? 0, trail: [] }))
}

function assertUnique(files: readonly RoleFile[]): void {
  for (const [index, { name, file }] of files.entries()) {
    const first = files.slice(0, index).find((each) => each.name === name)
    if (first !== undefined) throw bad(file, 1, `name: ${name} is defined in ${first.file} already`)
  }
}

interface Known {
  readonly stacks: ReadonlyMap<string, readonly Entry[]>
  readonly names: readonly string[]
}

interface Wanted {
  readonly name: string
  /** How many files of that name count; the last one decides, 0 is the built-in role. */
  readonly depth: number
  readonly trail: readonly string[]
}

function resolve(known: Known, { name, depth, trail }: Wanted): KnownRole {
  const entry = known.stacks.get(name)?.[depth - 1]
  if (entry === undefined) return { ...getRole(BUILT_IN_ROLES, name), source: "built-in", file: null, extends: null }
  const { file, source } = entry
  if (trail.includes(file.file))
    throw bad(file.file, file.extendsLine, `extends: ${file.extends} leads back to this file`)
  if (file.extends === undefined) return withDefaults(file, source)
  const isOwnName = file.extends === name
  const parentDepth = isOwnName ? depth - 1 : (known.stacks.get(file.extends)?.length ?? 0)
  if (parentDepth === 0 && !BUILT_IN_ROLES.some((role) => role.name === file.extends)) throw noParent(file, known.names)
  const parent = resolve(known, { name: file.extends, depth: parentDepth, trail: [...trail, file.file] })
  return extend(parent, file, source)
}

function noParent(file: RoleFile, names: readonly string[]): AppError {
  const wanted = file.extends ?? ""
  if (wanted === file.name) return bad(file.file, file.extendsLine, `extends: there is no other ${wanted} to extend`)
  const close = nearest(wanted, names)
  const problem = `extends: there is no role ${wanted}`
  if (close !== undefined) return bad(file.file, file.extendsLine, `${problem}; did you mean ${close}?`)
  return bad(file.file, file.extendsLine, problem, { operation: "role list", to: "see" })
}

function withDefaults(file: RoleFile, source: RoleSource): KnownRole {
  const kind = file.kind ?? "implementation"
  const responsibility = file.responsibility ?? RESPONSIBILITY_OF[kind]
  return {
    name: file.name,
    kind,
    responsibility,
    effort: file.effort ?? EFFORT_OF[responsibility],
    model: file.model ?? "dynamic",
    expertise: [],
    writes: file.writes ?? kind === "implementation",
    tools: file.tools ?? [],
    instructions: file.instructions,
    ...(file.prefix !== undefined && { prefix: file.prefix }),
    ...(file.innerLoop !== undefined && { innerLoop: file.innerLoop }),
    source,
    file: file.file,
    extends: null,
  }
}

/** A new kind brings its own effort and right to write, instead of those of the extended role. */
function extend(parent: KnownRole, file: RoleFile, source: RoleSource): KnownRole {
  const { deprecatedFor: _, ...inherited } = parent
  const own = withDefaults(file, source)
  const base = file.kind === undefined || file.kind === parent.kind ? inherited : own
  return {
    ...own,
    kind: base.kind,
    responsibility: file.responsibility ?? base.responsibility,
    effort: file.effort ?? (file.responsibility === undefined ? base.effort : own.effort),
    writes: file.writes ?? base.writes,
    model: file.model ?? parent.model,
    tools: file.tools ?? parent.tools,
    expertise: parent.expertise,
    instructions: [parent.instructions, file.instructions].filter((text) => text !== "").join("\n\n"),
    extends: parent.name,
  }
}
