import { constants, copyFileSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { dirname } from "../../lib/paths.ts"
import type { Git } from "../git.ts"
import { excludeInView } from "./view.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import type { FoundWorkspace } from "./workspace-record.ts"

/**
 * Copies untracked files such as .env from the user's checkout. Git finds them, so no tracked file and nothing
 * outside of the repository can match. Leaves out links.
 */
export async function copyFiles(context: WorkspaceContext, git: Git, path: string): Promise<Copies> {
  const { mainRoot, source, settings } = context
  if (mainRoot === null || settings.copy.length === 0) return NONE
  const globs = settings.copy.map((glob) => `:(top,glob)${checkGlob(glob)}`)
  const found = (await source.in(mainRoot).list(["ls-files", "--others", "-z", "--", ...globs])).filter(
    (file) => !file.endsWith("/") && lstatSync(`${mainRoot}/${file}`, { throwIfNoEntry: false })?.isFile() === true,
  )
  if (found.length === 0) return NONE
  const tracked = new Set(await git.list(["ls-files", "-z", "--", ...found.map((file) => `:(top,literal)${file}`)]))
  const files = found.filter((file) => !tracked.has(file))
  const copied = files.filter((file) => copyFile(`${mainRoot}/${file}`, `${path}/${file}`, path))
  return { files: copied, excluded: await notIgnored(git, copied) }
}

interface Copies {
  readonly files: readonly string[]
  /** Lines of `.gitignore` for files that git does not ignore, so that agents do not commit them. */
  readonly excluded: readonly string[]
}

const NONE: Copies = { files: [], excluded: [] }

function checkGlob(glob: string): string {
  if (glob !== "" && !glob.startsWith("/") && !glob.startsWith(":") && !glob.split("/").includes("..")) return glob
  throw new AppError(
    "workspace.bad_copy",
    `workspace.copy: ${JSON.stringify(glob)} is not a glob inside the repository, such as .env or config/*.local`,
  )
}

/** False if something is in the way, or a tracked link would lead out of the worktree. */
function copyFile(from: string, to: string, root: string): boolean {
  const parent = nearestFolder(dirname(to))
  const real = realpathSync(parent)
  if (real !== root && !real.startsWith(`${root}/`)) return false
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined || !statSync(parent).isDirectory()) return false
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to, constants.COPYFILE_EXCL)
  return true
}

function nearestFolder(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? nearestFolder(dirname(path)) : path
}

/** Returns lines of `.gitignore`. */
export async function notIgnored(git: Git, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return []
  const { stdout } = await git.run(["check-ignore", "-z", "--stdin"], {
    input: files.map((file) => `${file}\0`).join(""),
  })
  const ignored = new Set(stdout.split("\0"))
  return files.filter((file) => !ignored.has(file)).map(asPattern)
}

/** Only in our view. The worker's repository ignores them from its creation. */
export async function exclude(
  { git, env }: WorkspaceContext,
  { view }: Pick<FoundWorkspace, "view">,
  patterns: readonly string[],
) {
  await excludeInView({ git, view, env, patterns })
}

export function asPattern(file: string): string {
  return `/${file.replaceAll(/[\\*?[\]]/g, "\\$&").replace(/ +$/, (spaces) => "\\ ".repeat(spaces.length))}`
}
