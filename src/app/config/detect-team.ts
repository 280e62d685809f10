import { integrationRef } from "../../kernel/branches.ts"
import {
  parseRepositoryId,
  REPOSITORY_ID_FILE,
  type RepositoryId,
  type RepositoryPlace,
} from "../../kernel/repository.ts"
import { viewBeside } from "../../lib/checkout-folders.ts"
import { basename, dirname, resolvePath } from "../../lib/paths.ts"
import { foldApart, foldName, foldWithHash } from "../../lib/text/fold-name.ts"

/**
 * Reads git's own files: starting git would take longer than the rest of a CLI call. A linked worktree belongs to
 * the project of its main repository, a worker's workspace to its team. If several repositories have the same name,
 * the store decides the name of the project.
 */
export async function detectTeam(
  cwd: string,
  found?: Promise<Git | undefined>,
): Promise<{ project: string; team: string }> {
  const git = await (found ?? findGit(cwd))
  const { project, repository } = await detectProject(cwd, git)
  const name = project ?? repository?.name ?? foldApart(basename(resolvePath(cwd)), "project")
  return { project: name, team: await detectTeamOf(git, name) }
}

export interface DetectedProject {
  readonly repository?: RepositoryPlace
  /** From the branch or workspace of a worker. */
  readonly project?: string
}

export async function detectProject(cwd: string, git: Git | undefined): Promise<DetectedProject> {
  if (git === undefined) return { project: foldApart(basename(resolvePath(cwd)), "project") }
  const [repository, branch] = await Promise.all([detectRepository(git), branchOf(git.gitDir)])
  return { repository, project: workspaceOf(git)?.project ?? OWN_BRANCH.exec(branch ?? "")?.[1] }
}

export async function detectRepository({ root, gitDir }: Git): Promise<RepositoryPlace> {
  const commonDir = await commonDirOf(gitDir)
  const name = projectName({ root, gitDir }, commonDir)
  return {
    id: (await readRepositoryId(commonDir)) ?? null,
    gitDir: commonDir,
    folder: basename(commonDir) === ".git" ? dirname(commonDir) : commonDir === gitDir ? (root ?? gitDir) : commonDir,
    name: foldApart(name, "project"),
    earlierName: foldName(name, "project"),
  }
}

export async function readRepositoryId(commonDir: string): Promise<RepositoryId | undefined> {
  return parseRepositoryId((await readText(`${commonDir}/${REPOSITORY_ID_FILE}`)) ?? "")
}

/** `teamwork/<project>/<team>/<worker>` */
const OWN_BRANCH = /^teamwork\/([^/]+)\/([^/]+)\/[^/]+$/
/** The git folder of a worker's workspace: its path names project and team. */
const OWN_VIEW = /\/worktrees\/([^/]+)-[0-9a-f]{8}\/([^/]+)\/\.views\/[^/]+$/

function workspaceOf({ gitDir }: Git): { readonly project: string; readonly team: string } | undefined {
  const [, project, team] = OWN_VIEW.exec(gitDir) ?? []
  return project === undefined || team === undefined ? undefined : { project, team }
}

/** Of earlier versions. */
const EARLIER_BRANCH = /^teamwork\/([^/]+)\/[^/]+$/

/**
 * The branch name folded to an id. If another branch folds to the same id, the one that the team delivers to keeps
 * it, and the other one gets a hash.
 */
export async function detectTeamOf(git: Git | undefined, project: string): Promise<string> {
  const branch = git === undefined ? undefined : await branchOf(git.gitDir)
  const workspace = git && workspaceOf(git)
  if (workspace !== undefined) return workspace.team
  if (git === undefined || branch === undefined) return FALLBACK_TEAM
  const ours = OWN_BRANCH.exec(branch)?.[2] ?? EARLIER_BRANCH.exec(branch)?.[1]
  if (ours !== undefined) return foldName(ours, FALLBACK_TEAM)
  const plain = foldName(branch, FALLBACK_TEAM)
  const commonDir = await commonDirOf(git.gitDir)
  const taken = await targetOf(commonDir, integrationRef({ project, team: plain, run: 1 }, "target"), branch)
  if (taken === branch) return plain
  // A team may deliver to any branch: only a branch that folds to the same id is a conflict.
  if (taken !== undefined && foldName(taken, FALLBACK_TEAM) === plain) return foldWithHash(branch, "branch")
  if (plain === branch) return plain
  const isPlain = /^[\0-\x7f]*$/.test(branch) && !(await hasBranch(commonDir, plain))
  return isPlain ? plain : foldWithHash(branch, "branch")
}

/** Starts git only if the ref names another branch than this one. */
async function targetOf(commonDir: string, ref: string, branch: string): Promise<string | undefined> {
  const text = (await readText(`${commonDir}/${ref}`)) ?? (await findPacked(commonDir, ref))
  // The format of earlier versions.
  const symbolic = /^ref:[ \t]*refs\/heads\/(.+?)[\r\n]*$/.exec(text ?? "")?.[1]
  const id = /^[0-9a-f]{40,64}(?=\s*$)/.exec(text ?? "")?.[0]
  if (id === undefined) return symbolic
  if (id === idOfText(`refs/heads/${branch}\n`, id.length)) return branch
  const { readNamedBranch } = await import("../../git/read-named-branch.ts")
  return readNamedBranch(commonDir, id)?.replace("refs/heads/", "")
}

function idOfText(text: string, length: number): string {
  const header = `blob ${new TextEncoder().encode(text).length}\0`
  return new Bun.CryptoHasher(length === 64 ? "sha256" : "sha1").update(`${header}${text}`).digest("hex")
}

async function findPacked(commonDir: string, ref: string): Promise<string | undefined> {
  const packed = await readText(`${commonDir}/packed-refs`)
  const at = packed?.indexOf(` ${ref}\n`) ?? -1
  return packed === undefined || at === -1 ? undefined : packed.slice(packed.lastIndexOf("\n", at) + 1, at)
}

async function hasBranch(commonDir: string, branch: string): Promise<boolean> {
  if (await isFile(`${commonDir}/refs/heads/${branch}`)) return true
  return ((await readText(`${commonDir}/packed-refs`)) ?? "").includes(` refs/heads/${branch}\n`)
}

/** The nearest parent folder with `.git`: a repository, a linked worktree or a submodule. */
export async function findRepositoryRoot(cwd: string): Promise<string | undefined> {
  return (await findGit(cwd))?.root
}

const FALLBACK_TEAM = "main"

/** A bare repository has no `root`. */
export type Git = { readonly root: string | undefined; readonly gitDir: string }

export async function findGit(cwd: string): Promise<Git | undefined> {
  let folder = resolvePath(cwd)
  for (;;) {
    const [isRepository, isLink] = await Promise.all([isFile(`${folder}/.git/HEAD`), isFile(`${folder}/.git`)])
    if (isRepository) return { root: folder, gitDir: `${folder}/.git` }
    if (isLink) return { root: folder, gitDir: await followGitFile(`${folder}/.git`) }
    // Inside `.git`, the repository is one folder up.
    if (basename(folder) !== ".git" && (await isBare(folder))) return { root: undefined, gitDir: folder }
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
}

async function isBare(folder: string): Promise<boolean> {
  return (
    (await isFile(`${folder}/HEAD`)) && (await isFile(`${folder}/config`)) && (await isFile(`${folder}/description`))
  )
}

async function followGitFile(file: string): Promise<string> {
  const target = /^gitdir:[ \t]*(.+?)[\r\n]*$/.exec((await readText(file)) ?? "")?.[1]
  if (target === undefined) return file
  const gitDir = resolvePath(target, dirname(file))
  // A worker's own repository: the view beside it leads to the user's.
  const view = viewBeside(gitDir)
  return view !== undefined && (await isFile(`${view}/commondir`)) ? view : gitDir
}

async function commonDirOf(gitDir: string): Promise<string> {
  const link = (await readText(`${gitDir}/commondir`))?.replace(/[\r\n]+$/, "")
  return link === undefined || link === "" ? gitDir : resolvePath(link, gitDir)
}

function projectName({ root, gitDir }: Git, commonDir: string): string {
  // A submodule, or a repository with its git folder elsewhere, has the name of its own folder.
  return commonDir === gitDir && root !== undefined ? basename(root) : gitDirName(commonDir)
}

/** `app/.git`, `app/.bare` and `app.git` are all the repository `app`. */
function gitDirName(gitDir: string): string {
  const name = basename(gitDir)
  return name.startsWith(".") ? basename(dirname(gitDir)) : name.replace(/\.git$/, "")
}

async function branchOf(gitDir: string): Promise<string | undefined> {
  const branch = /^ref:[ \t]*refs\/heads\/(.+?)[\r\n]*$/.exec((await readText(`${gitDir}/HEAD`)) ?? "")?.[1]
  // With the reftable format, HEAD always holds this placeholder; the real one is in a binary file.
  return branch === ".invalid" ? undefined : branch
}

// Loading `node:fs` takes longer than all of this.
async function isFile(path: string): Promise<boolean> {
  return Bun.file(path).exists()
}

/** Maps the file: the first asynchronous read of a process starts threads. Git replaces these files whole. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return (await isFile(path)) ? new TextDecoder().decode(Bun.mmap(path)) : undefined
  } catch {
    return readSlowly(path)
  }
}

/** Mapping needs write access, which a read-only repository denies. */
async function readSlowly(path: string): Promise<string | undefined> {
  try {
    return await Bun.file(path).text()
  } catch {
    // Gone or unreadable: callers have a fallback.
    return undefined
  }
}
