import { basename, dirname, resolvePath } from "../lib/paths.ts"

/**
 * The project and team a folder belongs to, read from git's own files: starting the git program would take longer than
 * everything else a CLI call does. A linked worktree belongs to the project of its main repository, and a worker's
 * branch `teamwork/<team>/<worker>` to its team.
 */
export async function detectTeam(cwd: string): Promise<{ project: string; team: string }> {
  const git = await findGit(cwd)
  if (git === undefined) return { project: asSafeId(basename(resolvePath(cwd)), "project"), team: FALLBACK_TEAM }
  return {
    project: asSafeId(await projectName(git), "project"),
    team: asSafeId(await teamName(git.gitDir), FALLBACK_TEAM),
  }
}

/** The nearest folder upwards that holds `.git`: of a repository, a linked worktree or a submodule. */
export async function findRepositoryRoot(cwd: string): Promise<string | undefined> {
  return (await findGit(cwd))?.root
}

const FALLBACK_TEAM = "main"

/** `root` is missing for a bare repository, which has no checked-out files. */
type Git = { readonly root: string | undefined; readonly gitDir: string }

async function findGit(cwd: string): Promise<Git | undefined> {
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
    .replace(/^[._-]+|\.lock$/g, "")
    .slice(0, 64)
  return id === "" ? fallback : id
}

// Bun's own files, not `node:fs`: loading that takes longer than all of this.
async function isFile(path: string): Promise<boolean> {
  return Bun.file(path).exists()
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await isFile(path)) ? await Bun.file(path).text() : undefined
  } catch {
    // Gone or unreadable: the caller has a fallback for either.
    return undefined
  }
}
