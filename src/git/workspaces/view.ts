import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { REPOSITORIES, VIEWS } from "../../lib/checkout-folders.ts"
import { basename, dirname, resolvePath } from "../../lib/paths.ts"
import { type Git, withVariables } from "../git.ts"
import { entriesOf, readBytes, readText } from "../read-refs.ts"

/**
 * A checkout with a repository of its own, in which somebody else works: a worker's workspace, or a checkout of a gate.
 *
 * `gitDir` belongs to the one who works there. We write it, and later read its files as data; no git of ours ever runs
 * with its settings. `view` is our own git folder for the same files. It borrows objects, refs and settings from the
 * user's repository, like a linked worktree that git does not know of, and has an index of its own.
 */
export interface CheckoutPlace {
  /** The files. */
  readonly path: string
  readonly gitDir: string
  readonly view: string
}

/** Where a checkout and its git folders lie, all below `folder`. */
export function placeIn(folder: string, name: string): CheckoutPlace {
  return { path: `${folder}/${name}`, gitDir: `${folder}/${REPOSITORIES}/${name}`, view: `${folder}/${VIEWS}/${name}` }
}

/** The names of the checkouts that have one. */
export function namesIn(folder: string): string[] {
  return entriesOf(`${folder}/${VIEWS}`)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith("."))
}

/**
 * The checkout of ours that a folder lies in; undefined for any other folder. It is found by where it lies: what its
 * `.git` says is up to the one who works there. Throws `workspace.unproven` where a link stands in the place of one of its
 * folders: it may lead to files of the user.
 */
export function findPlace(home: string, folder: string): CheckoutPlace | undefined {
  const root = realPath(home)
  const given = resolvePath(folder)
  // As it was named, before any link is followed: a worker may have put one there.
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

/** Each of the folders is where it seems to be. */
function assertReal({ path, gitDir, view }: CheckoutPlace): void {
  for (const folder of [path, gitDir, view]) {
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined || realPath(folder) === folder) continue
    throw new AppError(
      "workspace.unproven",
      `${folder} is a link; whoever works there replaced it, so nothing in it is looked at`,
      { path: folder, reason: "path" },
    )
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder // gone: nothing lies there
  }
}

/** Git in a folder. In a checkout of ours it looks through our view. */
export function gitInFolder(git: Git, home: string): Git {
  const place = findPlace(home, git.folder)
  return place === undefined ? git : gitWithView(git, place)
}

/** Git that looks at the files of a checkout of ours. In other folders it is a plain git. */
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

/** Makes our view of a checkout, whole or not at all: git cannot work with half of one. */
export function makeView(place: CheckoutPlace, { commonDir, commit }: { commonDir: string; commit: string }): void {
  const { path, view } = place
  // No checkout has a name that begins with a dot.
  const draft = `${dirname(view)}/.new-${basename(view)}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  writeFileSync(`${draft}/commondir`, `${commonDir}\n`)
  writeFileSync(`${draft}/gitdir`, `${path}/.git\n`)
  writeHead(draft, commit)
  // Git copies the same when it makes a worktree of a repository that shows only some of its files.
  for (const file of ["config.worktree", "info/sparse-checkout"]) {
    const content = readBytes(`${commonDir}/${file}`)
    if (content === undefined) continue
    mkdirSync(dirname(`${draft}/${file}`), { recursive: true })
    writeFileSync(`${draft}/${file}`, content)
  }
  rmSync(view, { recursive: true, force: true })
  renameSync(draft, view)
}

/** Writes the files of a commit into an empty checkout; as many at once as there are processors, where they are many. */
export async function checkOutFiles(git: Git, commit: string): Promise<void> {
  await git.read(["-c", "checkout.workers=0", "read-tree", "-m", "-u", "--no-recurse-submodules", commit])
}

/** Which commit the files are compared with where nothing else is said. */
export function writeHead(view: string, commit: string): void {
  if (readText(`${view}/HEAD`).trim() === commit) return
  // Never half of it: another process may be looking, and git takes a folder without it for no repository.
  const draft = `${view}/HEAD.${process.pid}`
  writeFileSync(draft, `${commit}\n`)
  renameSync(draft, `${view}/HEAD`)
}

const EXCLUDE = "exclude"

/**
 * Files that must not be committed and that the repository itself does not ignore. Git has one list for all checkouts of
 * a repository, and that one is the user's; so the view uses a copy of the user's own list with these added.
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
  /** Lines as in `.gitignore`. */
  readonly patterns: readonly string[]
}

async function findUserExcludes(git: Git, env: Excluding["env"]): Promise<string> {
  const { exitCode, stdout } = await git.run(["config", "--type=path", "--get", "core.excludesFile"])
  return exitCode === 0 ? stdout.trim() : `${env.XDG_CONFIG_HOME || `${env.HOME}/.config`}/git/ignore`
}

/** Whether a git folder is a view of ours. */
export function isView(gitDir: string): boolean {
  return gitDir.includes(`/${VIEWS}/`)
}

/** The private repository that belongs to a view. */
export function placeOfView(view: string): CheckoutPlace {
  const at = view.lastIndexOf(`/${VIEWS}/`)
  return placeIn(view.slice(0, at), view.slice(at + VIEWS.length + 2))
}

/** The file by which a checkout says where its repository is. */
export function writeGitFile({ path, gitDir }: CheckoutPlace): void {
  writeFileSync(`${path}/.git`, `gitdir: ${gitDir}\n`)
}

export function hasGitFile({ path, gitDir }: CheckoutPlace): boolean {
  const stat = lstatSync(`${path}/.git`, { throwIfNoEntry: false })
  const target = stat?.isFile() === true ? /^gitdir: (.+?)[\r\n]*$/.exec(readText(`${path}/.git`))?.[1] : undefined
  return target !== undefined && resolvePath(target, path) === gitDir
}
