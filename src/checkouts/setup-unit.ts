/** Names of folders end with a slash. */
export interface SetupFiles {
  list(folder: string): Promise<readonly string[]>
  read(path: string): Promise<string>
}

const NODE = ["npm", "pnpm", "yarn", "bun"] as const
const PYTHON = ["uv", "poetry", "pip"] as const

export type Ecosystem = (typeof NODE)[number] | (typeof PYTHON)[number] | "cargo" | "go" | "bundler" | "composer"

/** One installation: everything that one lock file, or a manifest without one, requires. */
export interface SetupUnit {
  readonly ecosystem: Ecosystem
  /** `""` for the top. All other paths are relative to it. */
  readonly folder: string
  /** The lock file, or else the manifest. */
  readonly basis: string
  readonly isLocked: boolean
  /** Files that affect the installation. */
  readonly inputs: readonly string[]
  readonly tool: string
  /** Program whose version must fit; null if the version does not matter. */
  readonly runtime: string | null
  /** Tried in this order until all commands of one succeed. */
  readonly ways: readonly Way[]
  readonly env: Readonly<Record<string, string>>
  /** Folders that it creates, besides a `node_modules` in each package of a workspace. */
  readonly places: readonly string[]
  /** Scripts of the project to run after copying an installation; a tool that installs runs them itself. */
  readonly ownScripts: readonly OwnScript[]
}

export type Way = readonly (readonly string[])[]

export interface OwnScript {
  readonly name: string
  readonly line: string
  readonly command: readonly string[]
}

export interface FolderView {
  readonly folder: string
  readonly names: readonly string[]
  has(name: string): boolean
  /** Empty if there is no such file. */
  read(name: string): Promise<string>
  /** In the same folder of the user's checkout. */
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

export function inFolder(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`
}

export function unitFolder(root: string, { folder }: SetupUnit): string {
  return folder === "" ? root : `${root}/${folder}`
}

export function missingTool(tool: string): string {
  return `${tool} is not installed; install it, or set workspace.setup`
}
