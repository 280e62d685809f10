import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { REPOSITORIES, VIEWS } from "../../lib/checkout-folders.ts"
import { basename, dirname, resolvePath } from "../../lib/paths.ts"
import { entriesOf, readBytes, readText } from "../../lib/read-files.ts"
import { type Git, withVariables } from "../git.ts"

/**
 * A worker's workspace or a gate's checkout, with its own repository. `gitDir` belongs to the worker: we create it
 * and later read its files as data, but no git of ours runs with its settings. `view` is our git folder for the
 * same files. Like a linked worktree that git does not list, it uses objects, refs and settings of the user's
 * repository and has its own index.
 */
export interface CheckoutPlace {
  readonly path: string
  readonly gitDir: string
  readonly view: string
}

export function placeIn(folder: string, name: string): CheckoutPlace {
  return { path: `${folder}/${name}`, gitDir: `${folder}/${REPOSITORIES}/${name}`, view: `${folder}/${VIEWS}/${name}` }
}

export function namesIn(folder: string): string[] {
  return entriesOf(`${folder}/${VIEWS}`)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("."))
}

/**
 * Finds the checkout that contains a folder by its path only, because the worker controls its `.git`. Throws
 * `workspace.unproven` if one of its folders is a link, which may lead to files of the user.
 */
export function findPlace(home: string, folder: string): CheckoutPlace | undefined {
  const root = realPath(home)
  const given = resolvePath(folder)
  // Before following links: a worker may have created one.
  const named = given.startsWith(`${home}/`) ? `${root}${given.slice(home.length)}` : given
  const place = placeAt(root, named) ?? placeAt(root, realPath(given))
  if (place !== undefined) assertReal(place)
  return place
}

function placeAt(root: string, inside: string): CheckoutPlace | undefined {
  for (const [below, depth] of [
    ["worktrees", 3],
    ["checkouts", 1],
  ] as const) {
    if (!inside.startsWith(`${root}/${below}/`)) continue
    const names = inside.slice(root.length + below.length + 2).split("/")
    const name = names[depth - 1]
    if (name === undefined || name.startsWith(".")) continue
    const place = placeIn([root, below, ...names.slice(0, depth - 1)].join("/"), name)
    if (existsSync(`${place.view}/commondir`)) return place
  }
  return undefined
}

function assertReal({ path, gitDir, view }: CheckoutPlace): void {
  for (const folder of [path, gitDir, view]) {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined || realPath(folder) === folder) continue
    throw new AppError("workspace.unproven", `${folder} was replaced by a link, so nothing in it is read`, {
      path: folder,
      reason: "path",
    })
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder // it does not exist
  }
}

/** Uses our view inside a checkout of ours. */
export function gitInFolder(git: Git, home: string): Git {
  const place = findPlace(home, git.folder)
  return place === undefined ? git : gitWithView(git, place)
}

/** Returns a plain git in other folders. */
export function gitWithView(git: Git, { path, view }: Pick<CheckoutPlace, "path" | "view">): Git {
  const isThere = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  const inside = git.folder === path || git.folder.startsWith(`${path}/`) ? git : git.in(isThere ? path : dirname(view))
  const own = withVariables(inside, { GIT_DIR: view, ...(isThere ? { GIT_WORK_TREE: path } : {}) })
  const settings = existsSync(`${view}/${EXCLUDE}`) ? ["-c", `core.excludesFile=${view}/${EXCLUDE}`] : []
  return {
    ...own,
    run: (args, options) => own.run([...settings, ...args], options),
    read: (args, options) => own.read([...settings, ...args], options),
    list: (args, options) => own.list([...settings, ...args], options),
    in: (folder) => git.in(folder),
  }
}

/** Atomic: git cannot work with half a git folder. */
export function makeView(place: CheckoutPlace, { commonDir, commit }: { commonDir: string; commit: string }): void {
  const { path, view } = place
  // No checkout has a name with a leading dot.
  const draft = `${dirname(view)}/.new-${basename(view)}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  writeFileSync(`${draft}/commondir`, `${commonDir}\n`)
  writeFileSync(`${draft}/gitdir`, `${path}/.git\n`)
  writeHead(draft, commit)
  // Git copies the same for a worktree of a sparse checkout.
  for (const file of ["config.worktree", "info/sparse-checkout"]) {
    const content = readBytes(`${commonDir}/${file}`)
    if (content === undefined) continue
    mkdirSync(dirname(`${draft}/${file}`), { recursive: true })
    writeFileSync(`${draft}/${file}`, content)
  }
  rmSync(view, { recursive: true, force: true })
  renameSync(draft, view)
}

/** Into an empty checkout, in parallel if there are many. */
export async function checkOutFiles(git: Git, commit: string): Promise<void> {
  await git.read(["-c", "checkout.workers=0", "read-tree", "-m", "-u", "--no-recurse-submodules", commit])
}

/** Git compares files with this commit by default. */
export function writeHead(view: string, commit: string): void {
  if (readText(`${view}/HEAD`).trim() === commit) return
  // Atomic: without HEAD, git would not recognise the repository.
  const draft = `${view}/HEAD.${process.pid}`
  writeFileSync(draft, `${commit}\n`)
  renameSync(draft, `${view}/HEAD`)
}

const EXCLUDE = "exclude"

/**
 * Git's `info/exclude` is the user's and shared by all checkouts, so the view gets a copy of the user's global list
 * with these patterns added.
 */
export async function excludeInView({ git, view, env, patterns }: Excluding): Promise<void> {
  if (patterns.length === 0) return
  const known = readText(`${view}/${EXCLUDE}`) || readText(await findUserExcludes(git, env))
  writeFileSync(`${view}/${EXCLUDE}`, `${known.replace(/\n?$/, "\n")}${patterns.join("\n")}\n`)
}

interface Excluding {
  readonly git: Git
  readonly view: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Lines of `.gitignore`. */
  readonly patterns: readonly string[]
}

async function findUserExcludes(git: Git, env: Excluding["env"]): Promise<string> {
  const { exitCode, stdout } = await git.run(["config", "--type=path", "--get", "core.excludesFile"])
  return exitCode === 0 ? stdout.trim() : `${env.XDG_CONFIG_HOME || `${env.HOME}/.config`}/git/ignore`
}

export function isView(gitDir: string): boolean {
  return gitDir.includes(`/${VIEWS}/`)
}

export function placeOfView(view: string): CheckoutPlace {
  const at = view.lastIndexOf(`/${VIEWS}/`)
  return placeIn(view.slice(0, at), view.slice(at + VIEWS.length + 2))
}

export function writeGitFile({ path, gitDir }: CheckoutPlace): void {
  writeFileSync(`${path}/.git`, `gitdir: ${gitDir}\n`)
}

export function hasGitFile({ path, gitDir }: CheckoutPlace): boolean {
  const stat = lstatSync(`${path}/.git`, { throwIfNoEntry: false })
  const target = stat?.isFile() === true ? /^gitdir: (.+?)[\r\n]*$/.exec(readText(`${path}/.git`))?.[1] : undefined
  return target !== undefined && resolvePath(target, path) === gitDir
}
