/** The files of a tree, as far as planning needs them. Names of folders end with a slash. */
export interface SetupFiles {
  list(folder: string): Promise<readonly string[]>
  read(path: string): Promise<string>
}

const NODE = ["npm", "pnpm", "yarn", "bun"] as const
const PYTHON = ["uv", "poetry", "pip"] as const

export type Ecosystem = (typeof NODE)[number] | (typeof PYTHON)[number] | "cargo" | "go" | "bundler" | "composer"

/** One installation: everything that one lock file, or a manifest without a lock file, requires. */
export interface SetupUnit {
  readonly ecosystem: Ecosystem
  /** Its folder in the tree, `""` for the top. All other paths are relative to it. */
  readonly folder: string
  /** The lock file, or the manifest if there is none. */
  readonly basis: string
  readonly isLocked: boolean
  /** The files that decide what is installed. */
  readonly inputs: readonly string[]
  /** The program that installs. */
  readonly tool: string
  /** The program whose version must fit an installation; null if the version does not matter. */
  readonly runtime: string | null
  /** Tried in this order until all commands of one succeed. */
  readonly ways: readonly Way[]
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>
  /** The folders that it creates. Packages of a workspace have a `node_modules` each besides. */
  readonly places: readonly string[]
  /** Scripts of the project that run after an installation was copied; a tool that installs runs them itself. */
  readonly ownScripts: readonly OwnScript[]
}

export type Way = readonly (readonly string[])[]

export interface OwnScript {
  readonly name: string
  readonly line: string
  readonly command: readonly string[]
}

/** One folder of the tree. */
export interface FolderView {
  readonly folder: string
  readonly names: readonly string[]
  has(name: string): boolean
  /** Empty if there is no such file. */
  read(name: string): Promise<string>
  /** Whether the user's checkout has this path in the same folder. */
  userHas(path: string): boolean
}

export function isNodeUnit({ ecosystem }: SetupUnit): boolean {
  return NODE.some((name) => name === ecosystem)
}

export function isPythonUnit({ ecosystem }: SetupUnit): boolean {
  return PYTHON.some((name) => name === ecosystem)
}

/** `npm (package-lock.json)`, `pip (api/requirements.txt)`. */
export function nameUnit({ ecosystem, folder, basis }: SetupUnit): string {
  return `${ecosystem} (${inFolder(folder, basis)})`
}

/** A path below a folder of the tree. */
export function inFolder(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`
}

/** The folder of a unit in a checkout. */
export function unitFolder(root: string, { folder }: SetupUnit): string {
  return folder === "" ? root : `${root}/${folder}`
}

export function missingTool(tool: string): string {
  return `${tool} is not installed; install it, or set workspace.setup`
}
