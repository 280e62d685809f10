import { existsSync, lstatSync } from "node:fs"
import { resolvePath } from "../../lib/paths.ts"
import { readText } from "../../lib/read-files.ts"
import type { Git } from "../git.ts"
import { listFiles } from "../read-index.ts"
import { isCommitId, readRefs } from "../read-refs.ts"

export interface Submodule {
  readonly path: string
  readonly head: string | undefined
}

const REPOSITORY = 0o160000

/** Only those with files. Does not ask git, which would start a git in each, with the settings there. */
export async function listSubmodules(git: Git, index: string): Promise<Submodule[]> {
  const files = await listFiles(git, index)
  const paths = files.filter(({ mode }) => mode === REPOSITORY).map(({ path }) => path)
  if (paths.length === 0) return []
  const root = await git.read(["rev-parse", "--show-toplevel"])
  const found: Submodule[] = []
  for (const path of paths)
    if (existsSync(`${root}/${path}/.git`)) found.push({ path, head: await nestedHead(git, `${root}/${path}`) })
  return found
}

export function nestedGitDir(folder: string): string {
  const file = `${folder}/.git`
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true) return file
  const target = /^gitdir: (.+?)[\r\n]*$/.exec(readText(file))?.[1]
  return target === undefined ? file : resolvePath(target, folder)
}

export async function nestedHead(git: Git, folder: string): Promise<string | undefined> {
  const gitDir = nestedGitDir(folder)
  const head = readText(`${gitDir}/HEAD`).trim()
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1]
  if (ref === undefined) return isCommitId(head) ? head : undefined
  return (await readRefs(git, gitDir, ref)).get(ref)
}

export function excluded(submodules: readonly Submodule[]): string[] {
  return submodules.map(({ path }) => `:(exclude,top,literal)${path}`)
}

export async function addSubmodules(
  git: Git,
  submodules: readonly Submodule[],
  options: { readonly env: Record<string, string> },
): Promise<void> {
  const lines = submodules.flatMap(({ path, head }) => (head === undefined ? [] : [`160000 ${head}\t${path}\0`]))
  if (lines.length > 0) await git.read(["update-index", "-z", "--index-info"], { ...options, input: lines.join("") })
}
