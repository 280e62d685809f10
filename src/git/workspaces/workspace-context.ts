import { mkdirSync, realpathSync } from "node:fs"
import type { CheckoutSetup } from "../../checkouts/port.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Clock } from "../../lib/clock.ts"
import { basename, dirname, resolvePath } from "../../lib/paths.ts"
import type { Processes } from "../../lib/process/process.ts"
import { type Git, withVariables } from "../git.ts"
import { readText } from "../read-refs.ts"
import { gitInFolder, isView } from "./view.ts"

/** What `workspace.*` of the configuration says. */
export interface WorkspaceSettings {
  /** Run in a shell after a worktree was made or moved; empty for what its files ask for, `none` for nothing. */
  readonly setup: string
  readonly setupTimeoutSeconds: number
  /** Files that git does not track and a worktree needs anyway, as globs. */
  readonly copy: readonly string[]
  /** What stays when a worktree is moved, in the form of `.gitignore`. */
  readonly keep: readonly string[]
  /** Remotes of the user's repository that workers may reach. */
  readonly remotes: readonly string[]
}

export interface ContextPorts {
  readonly processes: Processes
  readonly clock: Clock
  readonly sleep: (ms: number) => Promise<unknown>
  /** The environment that the set-up command gets. */
  readonly env: Record<string, string | undefined>
  /** Sets checkouts up by themselves; without it only `workspace.setup` does. */
  readonly makeCheckouts?: (userRoots: readonly string[]) => CheckoutSetup
}

/** The repository and the team that everything here is about. */
export interface WorkspaceContext extends ContextPorts {
  /** In the folder we were called from. */
  readonly source: Git
  /** Told where the repository is, so that it also works once that folder is gone. */
  readonly git: Git
  /** The folder with git's own files of the user's repository. */
  readonly commonDir: string
  /** The git folder of the checkout we were called from. */
  readonly gitDir: string
  /** The user's own checkout; null for a bare repository. */
  readonly mainRoot: string | null
  /** The revision that the user has checked out, as seen from the folder we were called from. */
  readonly here: "HEAD" | "main-worktree/HEAD"
  readonly team: RunName
  /** Holds the worktrees of the team. */
  readonly folder: string
  readonly settings: WorkspaceSettings
  /** The user's own checkouts. */
  readonly userRoots: readonly string[]
  readonly checkouts: CheckoutSetup | undefined
}

export interface ContextRequest extends ContextPorts {
  readonly source: Git
  readonly home: string
  readonly team: RunName
  readonly settings: WorkspaceSettings
}

export async function openWorkspaceContext({ home, ...given }: ContextRequest): Promise<WorkspaceContext> {
  const request = { ...given, source: gitInFolder(given.source, home) }
  const { source, team } = request
  const { commonDir, gitDir, isBare } = await locate(source)
  const mainRoot = isBare ? null : await mainRootOf(source, commonDir, gitDir)
  const folder = `${realHome(home)}/worktrees/${team.project}-${shortHash(commonDir)}/${team.team}`
  // Called from a workspace of ours, "what is checked out" means the user's checkout, not that of the worker.
  const isOurs = isView(gitDir) || (gitDir !== commonDir && readWorktreePath(gitDir).startsWith(`${folder}/`))
  const git = withVariables(source.in(commonDir), { GIT_DIR: commonDir })
  // A linked worktree of the user's own may have something installed that the main checkout does not have.
  const linked = gitDir === commonDir || isOurs ? "" : readWorktreePath(gitDir)
  const userRoots = [linked, mainRoot ?? ""].filter((root) => root !== "")
  const checkouts = request.makeCheckouts?.(userRoots)
  const here = isOurs ? "main-worktree/HEAD" : "HEAD"
  return { ...request, git, commonDir, gitDir, mainRoot, here, folder, userRoots, checkouts }
}

async function locate(git: Git): Promise<{ commonDir: string; gitDir: string; isBare: boolean }> {
  const args = ["rev-parse", "--path-format=absolute", "--git-common-dir", "--absolute-git-dir", "--is-bare-repository"]
  const { exitCode, stdout, stderr } = await git.run(args)
  const [commonDir = "", gitDir = "", isBare] = stdout.trimEnd().split("\n")
  if (exitCode === 0) return { commonDir, gitDir, isBare: isBare === "true" && gitDir === commonDir }
  const unsafe = /dubious ownership in repository at '(.+)'/.exec(stderr)?.[1]
  if (unsafe !== undefined) {
    throw new AppError(
      "workspace.no_repository",
      `git does not trust ${unsafe}, which belongs to another user; if you do, run: git config --global --add safe.directory '${unsafe}'`,
    )
  }
  throw new AppError(
    "workspace.no_repository",
    `no git repository here; call this from inside of one (${firstLine(stderr)})`,
  )
}

async function mainRootOf(git: Git, commonDir: string, gitDir: string): Promise<string | null> {
  if (basename(commonDir) === ".git") return dirname(commonDir)
  // A submodule, or a repository whose git folder lies elsewhere: only its own checkout knows where that is.
  return gitDir === commonDir ? git.read(["rev-parse", "--path-format=absolute", "--show-toplevel"]) : null
}

function realHome(home: string): string {
  mkdirSync(home, { recursive: true })
  return realpathSync(home)
}

/** Two repositories may have the same name. */
function shortHash(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 8)
}

/** The folder that a linked worktree's own git folder belongs to. */
export function readWorktreePath(adminDir: string): string {
  const link = readText(`${adminDir}/gitdir`).replace(/[\r\n]+$/, "")
  // Newer versions of git may be told to write it relative to where it stands.
  return link === "" ? "" : resolvePath(link, adminDir).replace(/\/\.git$/, "")
}

export function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/^(?:fatal|error): /, "")
}
