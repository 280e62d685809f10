/** The files of a tree, as much as planning reads of them. Names of folders end with a slash. */
export interface SetupFiles {
  list(folder: string): Promise<readonly string[]>
  read(path: string): Promise<string>
}

export type Ecosystem =
  | "npm"
  | "pnpm"
  | "yarn"
  | "bun"
  | "uv"
  | "poetry"
  | "pip"
  | "cargo"
  | "go"
  | "bundler"
  | "composer"

/** One installation that a checkout needs: all that one lock file, or one manifest without one, asks for. */
export interface SetupUnit {
  readonly ecosystem: Ecosystem
  /** Where in the tree, `""` for the top. Everything below is relative to it. */
  readonly folder: string
  /** The file that says what to install: a lock file, or a manifest where there is none. */
  readonly basis: string
  readonly isLocked: boolean
  /** The files that decide what is installed. */
  readonly inputs: readonly string[]
  /** The program that installs. */
  readonly tool: string
  /** The program whose version decides whether an installation fits; null where it does not matter. */
  readonly runtime: string | null
  /** Tried in this order until all commands of one succeed. */
  readonly ways: readonly Way[]
  /** On top of the environment. */
  readonly env: Readonly<Record<string, string>>
  /** The folders that it makes. Packages of a workspace have their own `node_modules` besides. */
  readonly places: readonly string[]
  /** Scripts of the project itself, run after an installation was copied; the tool runs them by itself. */
  readonly ownScripts: readonly OwnScript[]
}

export type Way = readonly (readonly string[])[]

export interface OwnScript {
  readonly name: string
  readonly line: string
  readonly command: readonly string[]
}

/** What one folder of the tree holds. */
export interface FolderView {
  readonly folder: string
  readonly names: readonly string[]
  has(...names: string[]): boolean
  /** Empty for what is not there. */
  read(name: string): Promise<string>
  /** Whether the user's own checkout has this, in the same folder. */
  userHas(path: string): boolean
}

export function isNodeUnit({ ecosystem }: SetupUnit): boolean {
  return ["npm", "pnpm", "yarn", "bun"].includes(ecosystem)
}

export function isPythonUnit({ ecosystem }: SetupUnit): boolean {
  return ["uv", "poetry", "pip"].includes(ecosystem)
}

/** `npm (package-lock.json)`, `pip (api/requirements.txt)`. */
export function nameUnit({ ecosystem, folder, basis }: SetupUnit): string {
  return `${ecosystem} (${folder === "" ? basis : `${folder}/${basis}`})`
}

/** A checkout is made without what the tool would install. */
export function missingTool(tool: string): string {
  return `${tool} is not installed; install it, or set workspace.setup`
}
