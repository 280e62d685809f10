import { mkdirSync, realpathSync } from "node:fs"
import type { CheckoutSetup } from "../../checkouts/port.ts"
import { AppError } from "../../kernel/errors.ts"
import type { RunName } from "../../kernel/team.ts"
import type { Clock } from "../../lib/clock.ts"
import { basename, dirname, resolvePath } from "../../lib/paths.ts"
import type { Processes } from "../../lib/process/process.ts"
import { readText } from "../../lib/read-files.ts"
import { type Git, withVariables } from "../git.ts"
import { gitInFolder, isView } from "./view.ts"

export interface WorkspaceSettings {
  /** Shell command; empty for an automatic set-up, `none` for nothing. */
  readonly setup: string
  readonly setupTimeoutSeconds: number
  /** Globs of untracked files that worktrees need. */
  readonly copy: readonly string[]
  /** Lines of `.gitignore`: files that stay for the next attempt. */
  readonly keep: readonly string[]
  /** Allowed for workers. */
  readonly remotes: readonly string[]
}

export interface ContextPorts {
  readonly processes: Processes
  readonly clock: Clock
  readonly sleep: (ms: number) => Promise<unknown>
  readonly env: Record<string, string | undefined>
  readonly makeCheckouts?: (userRoots: readonly string[]) => CheckoutSetup
}

export interface WorkspaceContext extends ContextPorts {
  /** In the folder we were called from. */
  readonly source: Git
  /** With `GIT_DIR` set, so that it works even if that folder is deleted. */
  readonly git: Git
  readonly commonDir: string
  /** Of the checkout we were called from. */
  readonly gitDir: string
  /** User's checkout; null for a bare repository. */
  readonly mainRoot: string | null
  /** What the user has checked out, seen from the folder we were called from. */
  readonly here: "HEAD" | "main-worktree/HEAD"
  readonly team: RunName
  readonly folder: string
  readonly settings: WorkspaceSettings
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
  // In a workspace, "checked out" means the user's checkout, not the worker's.
  const isOurs = isView(gitDir) || (gitDir !== commonDir && readWorktreePath(gitDir).startsWith(`${folder}/`))
  const git = withVariables(source.in(commonDir), { GIT_DIR: commonDir })
  // A linked worktree of the user may have more installed than the main checkout.
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
      `git does not trust ${unsafe}, which belongs to another user; if you trust it, run: git config --global --add safe.directory '${unsafe}'`,
    )
  }
  throw new AppError("workspace.no_repository", `no git repository here; run this inside of one (${firstLine(stderr)})`)
}

async function mainRootOf(git: Git, commonDir: string, gitDir: string): Promise<string | null> {
  if (basename(commonDir) === ".git") return dirname(commonDir)
  // A submodule or a separate git folder: only the checkout knows where it is.
  return gitDir === commonDir ? git.read(["rev-parse", "--path-format=absolute", "--show-toplevel"]) : null
}

function realHome(home: string): string {
  mkdirSync(home, { recursive: true })
  return realpathSync(home)
}

function shortHash(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 8)
}

export function readWorktreePath(adminDir: string): string {
  const link = readText(`${adminDir}/gitdir`).replace(/[\r\n]+$/, "")
  // Newer versions of git may write a relative path.
  return link === "" ? "" : resolvePath(link, adminDir).replace(/\/\.git$/, "")
}

export function firstLine(text: string): string {
  return (text.split("\n", 1)[0] ?? "").replace(/^(?:fatal|error): /, "")
}
