import { planNode } from "./node-unit.ts"
import { planPython } from "./python-unit.ts"
import { type FolderView, inFolder, nameUnit, type SetupFiles, type SetupUnit } from "./setup-unit.ts"

type Planner = (view: FolderView) => Promise<SetupUnit | undefined>

/** An ecosystem whose commands never vary. */
interface FixedUnit extends Pick<SetupUnit, "ecosystem" | "basis" | "inputs" | "tool" | "runtime" | "ways"> {
  readonly needs: readonly string[]
  /** A folder that makes the installation unnecessary. */
  readonly unless?: string
  readonly env?: SetupUnit["env"]
  readonly places?: SetupUnit["places"]
}

const FIXED_UNITS: readonly FixedUnit[] = [
  {
    ecosystem: "cargo",
    needs: ["Cargo.toml", "Cargo.lock"],
    basis: "Cargo.lock",
    inputs: ["Cargo.lock"],
    tool: "cargo",
    runtime: null,
    ways: [[["cargo", "fetch", "--locked", "--offline"]], [["cargo", "fetch", "--locked"]]],
  },
  {
    ecosystem: "go",
    needs: ["go.mod", "go.sum"],
    unless: "vendor/",
    basis: "go.sum",
    inputs: ["go.mod", "go.sum"],
    tool: "go",
    runtime: null,
    ways: [[["go", "mod", "download"]]],
  },
  {
    ecosystem: "bundler",
    needs: ["Gemfile.lock"],
    basis: "Gemfile.lock",
    inputs: ["Gemfile", "Gemfile.lock"],
    tool: "bundle",
    runtime: "ruby",
    ways: [[["bundle", "install", "--local"]], [["bundle", "install"]]],
    env: { BUNDLE_FROZEN: "true" },
    places: ["vendor/bundle", ".bundle"],
  },
  {
    ecosystem: "composer",
    needs: ["composer.lock"],
    basis: "composer.lock",
    inputs: ["composer.json", "composer.lock"],
    tool: "composer",
    runtime: "php",
    ways: [[["composer", "install", "--no-interaction", "--no-progress", "--prefer-dist"]]],
    places: ["vendor"],
  },
]

function plannerOf({ needs, unless, env = {}, places = [], ...unit }: FixedUnit): Planner {
  return async ({ folder, has }) =>
    needs.every(has) && !(unless !== undefined && has(unless))
      ? { ...unit, folder, isLocked: true, env, places, ownScripts: [] }
      : undefined
}

const PLANNERS: readonly Planner[] = [planNode, planPython, ...FIXED_UNITS.map(plannerOf)]
const NOT_SEARCHED = /^(?:\.|node_modules\/|vendor\/|dist\/|build\/|target\/|docs?\/|examples?\/|fixtures\/)/
const MAX_FOLDERS = 30

/**
 * Searches the folders below the top only if there is nothing at the top, as gates do. `userHas` matters without a
 * lock file.
 */
export async function planSetup(
  files: SetupFiles,
  userHas: (path: string) => boolean = () => false,
): Promise<SetupUnit[]> {
  const names = await files.list("")
  const top = await planIn(files, { folder: "", names, userHas })
  if (top.length > 0) return top
  const folders = names.filter((name) => name.endsWith("/") && !NOT_SEARCHED.test(name)).sort()
  const found: SetupUnit[] = []
  for (const name of folders.slice(0, MAX_FOLDERS)) {
    const folder = name.slice(0, -1)
    found.push(...(await planIn(files, { folder, names: await files.list(folder), userHas })))
  }
  return found
}

async function planIn(
  files: SetupFiles,
  { folder, names, userHas }: Pick<FolderView, "folder" | "names" | "userHas">,
): Promise<SetupUnit[]> {
  const view: FolderView = {
    folder,
    names,
    has: (name) => names.includes(name),
    read: async (name) => (names.includes(name) ? files.read(inFolder(folder, name)) : ""),
    userHas: (path) => userHas(inFolder(folder, path)),
  }
  const units = await Promise.all(PLANNERS.map((plan) => plan(view)))
  // Never install over a committed folder.
  const isCommitted = ({ places }: SetupUnit) => places.some((place) => names.includes(`${place}/`))
  return units.filter((unit) => unit !== undefined).filter((unit) => !isCommitted(unit))
}

/** A program that a set-up may start; people see it first. */
export interface SetupStep {
  /** Runs only if those before it for the same unit failed. */
  readonly command: string
  readonly folder: string
  readonly reason: string
}

/** Includes scripts of the project. */
export function listSetupSteps(units: readonly SetupUnit[]): SetupStep[] {
  return units.flatMap((unit) => {
    const { folder } = unit
    const lines = unit.ways.flatMap((way) => way.map((command) => command.join(" ")))
    return [
      ...[...new Set(lines)].map((command) => ({ command, folder, reason: nameUnit(unit) })),
      ...unit.ownScripts.map(({ name, line }) => ({ command: line, folder, reason: `script ${name} of package.json` })),
    ]
  })
}

/** Returns the same text for the same installation: ignores the versions of the project itself. */
export async function readInputs(files: SetupFiles, { folder, inputs }: SetupUnit): Promise<string> {
  const names = await files.list(folder)
  const found: [string, string][] = []
  for (const name of inputs.filter((each) => names.includes(each))) {
    const path = inFolder(folder, name)
    if (name.endsWith("/")) {
      for (const file of (await files.list(path.slice(0, -1))).filter((each) => !each.endsWith("/")))
        found.push([`${name}${file}`, (await files.read(`${path}${file}`)).trimEnd()])
    } else found.push([name, normalise(name, await files.read(path)).trimEnd()])
  }
  return JSON.stringify(found)
}

function normalise(name: string, text: string): string {
  if (name !== "package.json" && name !== "package-lock.json" && name !== "npm-shrinkwrap.json") return text
  try {
    const value = JSON.parse(text)
    return JSON.stringify(name === "package.json" ? dependenciesOf(value) : lockedOf(value))
  } catch {
    return text // not valid, so compare it as it is
  }
}

const DEPENDENCY_FIELDS = [
  "dependencies",
  "devDependencies",
  "optionalDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "bundleDependencies",
  "bundledDependencies",
  "overrides",
  "resolutions",
  "workspaces",
  "pnpm",
  "patchedDependencies",
  "trustedDependencies",
  "packageManager",
  "dependenciesMeta",
]
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"]

function dependenciesOf(manifest: Record<string, unknown>): unknown {
  const scripts = (manifest.scripts ?? {}) as Record<string, unknown>
  return [
    DEPENDENCY_FIELDS.map((field) => manifest[field] ?? null),
    INSTALL_SCRIPTS.map((script) => scripts[script] ?? null),
  ]
}

/** Releases change the versions of the project's own packages, not the dependencies. */
function lockedOf({ version: _, packages, ...lock }: Record<string, unknown>): unknown {
  const all = Object.entries((packages ?? {}) as Record<string, Record<string, unknown>>)
  return [
    lock,
    all.map(([path, { version, ...rest }]) =>
      path.includes("node_modules/") ? [path, version ?? null, rest] : [path, rest],
    ),
  ]
}
