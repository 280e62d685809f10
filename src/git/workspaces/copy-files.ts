import {
  appendFileSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { dirname } from "../../lib/paths.ts"
import type { Git } from "../git.ts"
import type { Ground } from "./ground.ts"

/**
 * Copies files that git does not track, such as .env, from the user's checkout into a worktree. Git itself finds them,
 * so that nothing outside of the repository and no tracked file can be meant. Links are left out: where they lead is not
 * the repository's to say. What git would not ignore is excluded, or an agent would commit it. The files copied.
 */
export async function copyFiles(ground: Ground, git: Git, path: string): Promise<string[]> {
  const { mainRoot, source, settings } = ground
  if (mainRoot === null || settings.copy.length === 0) return []
  const globs = settings.copy.map((glob) => `:(top,glob)${checkGlob(glob)}`)
  const found = (await source.in(mainRoot).list(["ls-files", "--others", "-z", "--", ...globs])).filter(
    (file) => !file.endsWith("/") && lstatSync(`${mainRoot}/${file}`, { throwIfNoEntry: false })?.isFile() === true,
  )
  if (found.length === 0) return []
  const tracked = new Set(await git.list(["ls-files", "-z", "--", ...found.map((file) => `:(top,literal)${file}`)]))
  const files = found.filter((file) => !tracked.has(file))
  const copied = files.filter((file) => copyFile(`${mainRoot}/${file}`, `${path}/${file}`, path))
  await excludeFromCommits(ground, git, copied)
  return copied
}

function checkGlob(glob: string): string {
  if (glob !== "" && !glob.startsWith("/") && !glob.startsWith(":") && !glob.split("/").includes("..")) return glob
  throw new AppError(
    "workspace.bad_copy",
    `workspace.copy: ${JSON.stringify(glob)} is not a glob inside of the repository, such as .env or config/*.local`,
  )
}

/** False where something is in the way, or where a tracked link would lead out of the worktree. */
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

/** Git has one such file for a repository and all its worktrees. */
export async function excludeFromCommits({ commonDir }: Ground, git: Git, files: readonly string[]): Promise<void> {
  if (files.length === 0) return
  const { stdout } = await git.run(["check-ignore", "-z", "--stdin"], {
    input: files.map((file) => `${file}\0`).join(""),
  })
  const ignored = new Set(stdout.split("\0"))
  const exclude = `${commonDir}/info/exclude`
  const text = existsSync(exclude) ? readFileSync(exclude, "utf8") : ""
  const known = new Set(text.split("\n"))
  const lines = files.filter((file) => !ignored.has(file)).map(asPattern)
  const missing = lines.filter((line) => !known.has(line))
  if (missing.length === 0) return
  mkdirSync(dirname(exclude), { recursive: true })
  appendFileSync(exclude, `${text === "" || text.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`)
}

/** A path as a line of `.gitignore` that means it alone. */
export function asPattern(file: string): string {
  return `/${file.replaceAll(/[\\*?[\]]/g, "\\$&").replace(/ +$/, (spaces) => "\\ ".repeat(spaces.length))}`
}
