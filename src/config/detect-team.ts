import { readFileSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"

/**
 * The project and team a folder belongs to, read from git's own files: starting the git program would take longer than
 * everything else a CLI call does. A linked worktree belongs to the project of its main repository, and a worker's
 * branch `teamwork/<team>/<worker>` to its team.
 */
export function detectTeam(cwd: string): { project: string; team: string } {
  const git = findGit(cwd)
  if (git === undefined) return { project: asSafeId(basename(realPath(cwd)), "project"), team: FALLBACK_TEAM }
  return {
    project: asSafeId(projectName(git), "project"),
    team: asSafeId(teamName(git.gitDir), FALLBACK_TEAM),
  }
}

/** The nearest folder upwards that holds `.git`: of a repository, a linked worktree or a submodule. */
export function findRepositoryRoot(cwd: string): string | undefined {
  return findGit(cwd)?.root
}

const FALLBACK_TEAM = "main"

/** `root` is missing for a bare repository, which has no checked-out files. */
type Git = { readonly root: string | undefined; readonly gitDir: string }

function findGit(cwd: string): Git | undefined {
  let folder = realPath(cwd)
  for (;;) {
    const entry = join(folder, ".git")
    const kind = kindOf(entry)
    if (kind === "folder") return { root: folder, gitDir: entry }
    if (kind === "file") return { root: folder, gitDir: followGitFile(entry) }
    // Inside `.git` itself the repository is one folder further up.
    if (basename(folder) !== ".git" && isGitDir(folder)) return { root: undefined, gitDir: folder }
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
}

function isGitDir(folder: string): boolean {
  return (
    kindOf(join(folder, "HEAD")) === "file" &&
    kindOf(join(folder, "objects")) === "folder" &&
    kindOf(join(folder, "refs")) === "folder"
  )
}

function followGitFile(file: string): string {
  const target = /^gitdir:[ \t]*(.+?)[\r\n]*$/.exec(readText(file) ?? "")?.[1]
  return target === undefined ? file : resolve(dirname(file), target)
}

function projectName({ root, gitDir }: Git): string {
  const commonDir = readText(join(gitDir, "commondir"))?.replace(/[\r\n]+$/, "")
  // Only a linked worktree has a common folder; a submodule or a repository kept elsewhere goes by its own folder.
  if (commonDir === undefined || commonDir === "") return root === undefined ? gitDirName(gitDir) : basename(root)
  return gitDirName(resolve(gitDir, commonDir))
}

/** `app/.git`, `app/.bare` and `app.git` are all the repository `app`. */
function gitDirName(gitDir: string): string {
  const name = basename(gitDir)
  return name.startsWith(".") ? basename(dirname(gitDir)) : name.replace(/\.git$/, "")
}

function teamName(gitDir: string): string {
  const branch = /^ref:[ \t]*refs\/heads\/(.+?)[\r\n]*$/.exec(readText(join(gitDir, "HEAD")) ?? "")?.[1]
  // With the reftable format HEAD always holds this stand-in, and the real one is in a binary file.
  if (branch === undefined || branch === ".invalid") return FALLBACK_TEAM
  return /^teamwork\/([^/]+)\/./.exec(branch)?.[1] ?? branch
}

function asSafeId(name: string, fallback: string): string {
  const id = name
    .replace(/[^A-Za-z0-9._-]/gu, "-")
    .replace(/^[.-]+/, "")
    .slice(0, 64)
  return id === "" ? fallback : id
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // A folder that is gone or closed to us still has a name.
    return resolve(path)
  }
}

function kindOf(path: string): "file" | "folder" | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isDirectory() ? "folder" : stats?.isFile() ? "file" : undefined
  } catch {
    // What we may not look at is not ours to use.
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    // Missing or unreadable: the caller has a fallback for either.
    return undefined
  }
}
