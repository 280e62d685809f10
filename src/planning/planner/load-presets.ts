import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import { codeOf } from "../../lib/error-code.ts"
import { type PlanPath, sayPath } from "../plan.ts"
import { PRESET_FIELDS, PRESET_ROLES, type Preset } from "../presets.ts"
import { isTable, readFields, type Table } from "../read-fields.ts"
import { getRole, type RoleDefinition } from "../roles/roles.ts"
import DEFAULTS from "./default-presets.yml" with { type: "text" }
import { readYaml } from "./yaml-document.ts"

interface PresetPlaces {
  readonly home: string
  readonly repository: string
  readonly roles: readonly RoleDefinition[]
}

/** The repository overrides the home, and the home overrides built-in presets. */
export function loadPresets({ home, repository, roles }: PresetPlaces): Preset[] {
  const found = new Map<string, Preset>()
  const builtIn = readYaml(DEFAULTS).value as {
    readonly roles: Table
    readonly presets: Readonly<Record<string, Table>>
  }
  const put = (given: Given, own: Pick<Preset, "name" | "source">) => {
    const table = { roles: builtIn.roles, ...given.table }
    found.set(own.name, { ...own, ...readPreset({ ...given, table }, roles) })
  }
  for (const [name, table] of Object.entries(builtIn.presets))
    put({ file: "default-presets.yml", table, lineOf: () => 1 }, { name, source: "built-in" })
  for (const [source, folder] of [
    ["home", join(home, "presets")],
    ["repository", join(repository, ".teamwork", "presets")],
  ] as const) {
    for (const file of listFiles(folder)) put(readTable(file), { name: nameOf(file), source })
  }
  return [...found.values()]
}

interface Given {
  readonly file: string
  readonly table: Table
  lineOf(path: PlanPath): number
}

function readPreset({ file, table, lineOf }: Given, roles: readonly RoleDefinition[]): Omit<Preset, "name" | "source"> {
  const preset = readFields(PRESET_FIELDS, table)
  const own = readFields(PRESET_ROLES, preset.values.roles ?? {}, ["roles"])
  const [problem] = [...preset.problems, ...own.problems]
  if (problem !== undefined) {
    const { path, message } = problem
    throw bad(file, path.length === 0 ? message : `${sayPath(path)}: ${message}`, lineOf(path))
  }
  for (const [type, role] of Object.entries(own.values)) {
    try {
      getRole(roles, role)
    } catch (error) {
      throw error instanceof AppError ? bad(file, `roles.${type}: ${error.message}`, lineOf(["roles", type])) : error
    }
  }
  return { ...preset.values, roles: own.values } as Omit<Preset, "name" | "source">
}

function readTable(file: string): Given {
  const { value, faults, placeOf } = readYaml(readFileSync(file, "utf8"))
  const [fault] = faults
  if (fault !== undefined) throw bad(file, fault.message, fault.line)
  if (!isTable(value)) throw bad(file, "is not a preset; it needs a summary")
  return { file, table: value, lineOf: (path) => placeOf(path).line }
}

function listFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => /^[^.].*\.ya?ml$/.test(name))
    return names.sort().map((name) => join(folder, name))
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw new AppError("preset.bad_file", `${folder} cannot be read`, { file: folder }, { cause: error })
  }
}

function nameOf(file: string): string {
  const name = basename(file).replace(/\.ya?ml$/, "")
  if (!isId(name)) throw bad(file, `${quoteInput(name)} is not a valid preset name; use ${ID_RULE}`)
  return name
}

function bad(file: string, problem: string, line = 1): AppError {
  return new AppError("preset.bad_file", `${file}:${line}: ${problem}`, { file, line })
}
