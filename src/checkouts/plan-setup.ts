import { planNode } from "./node-unit.ts"
import { planPython } from "./python-unit.ts"
import { type FolderView, nameUnit, type SetupFiles, type SetupUnit } from "./setup-unit.ts"

/** Finds one installation in a folder of the tree, or none. */
type Planner = (view: FolderView) => Promise<SetupUnit | undefined>

const PLANNERS: readonly Planner[] = [planNode, planPython, planCargo, planGo, planBundler, planComposer]
const NOT_SEARCHED = /^(?:\.|node_modules\/|vendor\/|dist\/|build\/|target\/|docs?\/|examples?\/|fixtures\/)/
const MAX_FOLDERS = 30

/**
 * What a checkout of a tree needs installed. What is at the top counts. Only a tree that has nothing there is searched
 * one level deeper, as gates do. `userHas` tells what the user's own checkout has: without a lock file that decides.
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

interface Place {
  readonly folder: string
  readonly names: readonly string[]
  readonly userHas: (path: string) => boolean
}

async function planIn(files: SetupFiles, { folder, names, userHas }: Place): Promise<SetupUnit[]> {
  const inside = (name: string) => (folder === "" ? name : `${folder}/${name}`)
  const view: FolderView = {
    ...{ folder, names },
    has: (...wanted) => wanted.some((name) => names.includes(name)),
    read: async (name) => (names.includes(name) ? files.read(inside(name)) : ""),
    userHas: (path) => userHas(inside(path)),
  }
  const found: SetupUnit[] = []
  for (const plan of PLANNERS) {
    const unit = await plan(view)
    // What is committed needs no installation, and nothing may be written over it.
    const isCommitted = unit?.places.some((place) => names.includes(`${place}/`)) === true
    if (unit !== undefined && !isCommitted) found.push(unit)
  }
  return found
}

const NOTHING_MORE = { isLocked: true, env: {}, places: [], ownScripts: [] } as const

async function planCargo({ folder, has }: FolderView): Promise<SetupUnit | undefined> {
  if (!has("Cargo.toml") || !has("Cargo.lock")) return undefined
  const fetch = ["cargo", "fetch", "--locked"]
  return {
    ...NOTHING_MORE,
    ...{ ecosystem: "cargo", folder, basis: "Cargo.lock", inputs: ["Cargo.lock"], tool: "cargo", runtime: null },
    ways: [[[...fetch, "--offline"]], [fetch]],
  }
}

async function planGo({ folder, has }: FolderView): Promise<SetupUnit | undefined> {
  if (!has("go.mod") || !has("go.sum") || has("vendor/")) return undefined
  return {
    ...NOTHING_MORE,
    ...{ ecosystem: "go", folder, basis: "go.sum", inputs: ["go.mod", "go.sum"], tool: "go", runtime: null },
    ways: [[["go", "mod", "download"]]],
  }
}

async function planBundler({ folder, has }: FolderView): Promise<SetupUnit | undefined> {
  if (!has("Gemfile.lock")) return undefined
  return {
    ...NOTHING_MORE,
    ...{ ecosystem: "bundler", folder, basis: "Gemfile.lock", inputs: ["Gemfile", "Gemfile.lock"] },
    ...{ tool: "bundle", runtime: "ruby", places: ["vendor/bundle", ".bundle"] },
    env: { BUNDLE_FROZEN: "true" },
    ways: [[["bundle", "install", "--local"]], [["bundle", "install"]]],
  }
}

async function planComposer({ folder, has }: FolderView): Promise<SetupUnit | undefined> {
  if (!has("composer.lock")) return undefined
  return {
    ...NOTHING_MORE,
    ...{ ecosystem: "composer", folder, basis: "composer.lock", inputs: ["composer.json", "composer.lock"] },
    ...{ tool: "composer", runtime: "php", places: ["vendor"] },
    ways: [[["composer", "install", "--no-interaction", "--no-progress", "--prefer-dist"]]],
  }
}

/** What a set-up would start, for a person to look at before it does. */
export interface SetupStep {
  /** The command line, tried only if those before it for the same unit did not work. */
  readonly command: string
  readonly folder: string
  readonly reason: string
}

/** Every program that setting up a tree may start, scripts of the project included. */
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

/**
 * What the inputs of a unit come to, so that two trees with the same installation give the same text. What says nothing
 * about dependencies, such as the project's own version, is left out.
 */
export async function readInputs(files: SetupFiles, { folder, inputs }: SetupUnit): Promise<string> {
  const inside = (name: string) => (folder === "" ? name : `${folder}/${name}`)
  const names = await files.list(folder)
  const found: [string, string][] = []
  for (const name of inputs) {
    if (!name.endsWith("/")) {
      if (names.includes(name)) found.push([name, normalise(name, await files.read(inside(name))).trimEnd()])
    } else if (names.includes(name)) {
      const folderName = name.slice(0, -1)
      for (const file of (await files.list(inside(folderName))).filter((each) => !each.endsWith("/")))
        found.push([`${name}${file}`, (await files.read(inside(`${folderName}/${file}`))).trimEnd()])
    }
  }
  return JSON.stringify(found)
}

function normalise(name: string, text: string): string {
  if (name !== "package.json" && name !== "package-lock.json" && name !== "npm-shrinkwrap.json") return text
  try {
    const value = JSON.parse(text)
    return JSON.stringify(name === "package.json" ? dependenciesOf(value) : lockedOf(value))
  } catch {
    // Not what it says it is: as it stands, then.
    return text
  }
}

const DEPENDENCY_FIELDS = [
  ...["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "peerDependenciesMeta"],
  ...["bundleDependencies", "bundledDependencies", "overrides", "resolutions", "workspaces", "pnpm"],
  ...["patchedDependencies", "trustedDependencies", "packageManager", "dependenciesMeta"],
]
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"]

function dependenciesOf(manifest: Record<string, unknown>): unknown {
  const scripts = (manifest.scripts ?? {}) as Record<string, unknown>
  return [
    DEPENDENCY_FIELDS.map((field) => manifest[field] ?? null),
    INSTALL_SCRIPTS.map((script) => scripts[script] ?? null),
  ]
}

/** The versions of the project and of its own packages change with every release, and nothing else with them. */
function lockedOf({ version: _, packages, ...lock }: Record<string, unknown>): unknown {
  const all = Object.entries((packages ?? {}) as Record<string, Record<string, unknown>>)
  return [
    lock,
    all.map(([path, { version, ...rest }]) =>
      path.includes("node_modules/") ? [path, version ?? null, rest] : [path, rest],
    ),
  ]
}
