import { basename, dirname, resolvePath } from "../../lib/paths.ts"

/**
 * The project and team a folder belongs to, read from git's own files: starting the git program would take longer than
 * everything else a CLI call does. A linked worktree belongs to the project of its main repository, and a worker's
 * branch `teamwork/<team>/<worker>` to its team.
 */
export async function detectTeam(
  cwd: string,
  found?: Promise<Git | undefined>,
): Promise<{ project: string; team: string }> {
  const git = await (found ?? findGit(cwd))
  if (git === undefined) return { project: asSafeId(basename(resolvePath(cwd)), "project"), team: FALLBACK_TEAM }
  const [project, team] = await Promise.all([projectName(git), teamName(git.gitDir)])
  return { project: asSafeId(project, "project"), team: asSafeId(team, FALLBACK_TEAM) }
}

/** The nearest folder upwards that holds `.git`: of a repository, a linked worktree or a submodule. */
export async function findRepositoryRoot(cwd: string): Promise<string | undefined> {
  return (await findGit(cwd))?.root
}

const FALLBACK_TEAM = "main"

/** `root` is missing for a bare repository, which has no checked-out files. */
export type Git = { readonly root: string | undefined; readonly gitDir: string }

export async function findGit(cwd: string): Promise<Git | undefined> {
  let folder = resolvePath(cwd)
  for (;;) {
    const [isRepository, isLink] = await Promise.all([isFile(`${folder}/.git/HEAD`), isFile(`${folder}/.git`)])
    if (isRepository) return { root: folder, gitDir: `${folder}/.git` }
    if (isLink) return { root: folder, gitDir: await followGitFile(`${folder}/.git`) }
    // Inside `.git` itself the repository is one folder further up.
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
  return target === undefined ? file : resolvePath(target, dirname(file))
}

async function projectName({ root, gitDir }: Git): Promise<string> {
  const commonDir = (await readText(`${gitDir}/commondir`))?.replace(/[\r\n]+$/, "")
  // Only a linked worktree has a common folder; a submodule or a repository kept elsewhere goes by its own folder.
  if (commonDir === undefined || commonDir === "") return root === undefined ? gitDirName(gitDir) : basename(root)
  return gitDirName(resolvePath(commonDir, gitDir))
}

/** `app/.git`, `app/.bare` and `app.git` are all the repository `app`. */
function gitDirName(gitDir: string): string {
  const name = basename(gitDir)
  return name.startsWith(".") ? basename(dirname(gitDir)) : name.replace(/\.git$/, "")
}

async function teamName(gitDir: string): Promise<string> {
  const branch = /^ref:[ \t]*refs\/heads\/(.+?)[\r\n]*$/.exec((await readText(`${gitDir}/HEAD`)) ?? "")?.[1]
  // With the reftable format HEAD always holds this stand-in, and the real one is in a binary file.
  if (branch === undefined || branch === ".invalid") return FALLBACK_TEAM
  return /^teamwork\/([^/]+)\/./.exec(branch)?.[1] ?? branch
}

function asSafeId(name: string, fallback: string): string {
  const id = name
    .replace(/[^A-Za-z0-9._-]/gu, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[._-]+/, "")
    .slice(0, 64)
    .replace(/(\.lock|\.)+$/, "")
  return id === "" ? fallback : id
}

// Bun's own files, not `node:fs`: loading that takes longer than all of this.
async function isFile(path: string): Promise<boolean> {
  return Bun.file(path).exists()
}

/** Mapped, not read: the first asynchronous read of a process starts threads. Git replaces these files whole. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return (await isFile(path)) ? new TextDecoder().decode(Bun.mmap(path)) : undefined
  } catch {
    // Gone, empty or unreadable: the caller has a fallback for each.
    return undefined
  }
}
