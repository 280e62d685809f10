import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import { codeOf } from "../../lib/error-code.ts"
import { checkFields } from "../../lib/schema.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { WORK_TYPES } from "../complexity/work-type.ts"
import { PRESET_FIELDS, type Preset } from "../presets.ts"
import { getRole, type RoleDefinition } from "../roles/roles.ts"
import DEFAULTS from "./default-presets.yml" with { type: "text" }
import { readYaml } from "./yaml-document.ts"

interface PresetPlaces {
  readonly home: string
  readonly repository: string
  /** Those that a preset may name. */
  readonly roles: readonly RoleDefinition[]
}

type Table = Readonly<Record<string, unknown>>

/** Every preset as it holds here: a file of the repository goes before one at home, and that before what is built in. */
export function loadPresets({ home, repository, roles }: PresetPlaces): Preset[] {
  const { roles: templates, presets } = readTable("default-presets.yml", DEFAULTS) as { roles: Table; presets: Table }
  const found = new Map<string, Preset>()
  const put = (file: string, given: Table, own: Pick<Preset, "name" | "source">) =>
    found.set(own.name, { ...own, ...readPreset(file, { roles: templates, ...given }, roles) })
  for (const [name, given] of Object.entries(presets))
    put("default-presets.yml", given as Table, { name, source: "built-in" })
  for (const [source, folder] of [
    ["home", join(home, "presets")],
    ["repository", join(repository, ".teamwork", "presets")],
  ] as const) {
    for (const file of listFiles(folder))
      put(file, readTable(file, readFileSync(file, "utf8")), { name: nameOf(file), source })
  }
  return [...found.values()]
}

function readPreset(file: string, given: Table, roles: readonly RoleDefinition[]): Omit<Preset, "name" | "source"> {
  const known = Object.keys(PRESET_FIELDS)
  for (const name of Object.keys(given)) if (!known.includes(name)) throw bad(file, unknown(name, known))
  const checked = checkFields(PRESET_FIELDS, given)
  if (!checked.ok) throw bad(file, `${checked.field} ${checked.problem}`)
  for (const [type, role] of Object.entries(checked.values.roles)) {
    if (!WORK_TYPES.some((each) => each === type)) throw bad(file, `roles.${unknown(type, WORK_TYPES)}`)
    if (typeof role !== "string") throw bad(file, `roles.${type} is not the name of a role`)
    try {
      getRole(roles, role)
    } catch (error) {
      throw error instanceof AppError ? bad(file, `roles.${type}: ${error.message}`) : error
    }
  }
  return checked.values as Omit<Preset, "name" | "source">
}

function readTable(file: string, text: string): Table {
  const { value, faults } = readYaml(text)
  const [fault] = faults
  if (fault !== undefined) throw bad(file, fault.message, fault.line)
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw bad(file, "is no preset; it needs a summary")
  return value as Table
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
  if (!isId(name)) throw bad(file, `${quoteInput(name)} is no name for a preset; use ${ID_RULE}`)
  return name
}

function unknown(name: string, known: readonly string[]): string {
  const close = nearest(name, known)
  return `${name} is not known here; ${close === undefined ? `there are ${known.join(", ")}` : `did you mean ${close}?`}`
}

function bad(file: string, problem: string, line = 1): AppError {
  return new AppError("preset.bad_file", `${file}:${line}: ${problem}`, { file, line })
}
