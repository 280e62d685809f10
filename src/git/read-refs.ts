import { existsSync } from "node:fs"
import { resolvePath } from "../lib/paths.ts"
import { entriesOf, readText } from "../lib/read-files.ts"
import type { Git } from "./git.ts"

/**
 * `prefix` ends with a slash, or is one full ref. Reads git's files, because no git may run in a worker's
 * repository; asks git for other storage formats. Reads loose refs before packed ones, so as not to miss a ref that
 * is being packed.
 */
export async function readRefs(git: Git, commonDir: string, prefix: string): Promise<Map<string, string>> {
  if (existsSync(`${commonDir}/reftable`)) return askRefs(git, prefix)
  const loose = new Map<string, string>()
  if (prefix.endsWith("/")) readFolder(commonDir, prefix.slice(0, -1), loose)
  else readLoose(commonDir, prefix, loose)
  const isAsked = (ref: string) => (prefix.endsWith("/") ? ref.startsWith(prefix) : ref === prefix)
  const packed = readText(`${commonDir}/packed-refs`)
    .split("\n")
    .flatMap((line) => (/^[0-9a-f]{40,64} /.test(line) ? [line.split(" ", 2) as [string, string]] : []))
    .filter(([, ref]) => isAsked(ref))
  return new Map([...packed.map(([commit, ref]) => [ref, commit] as const), ...loose])
}

async function askRefs(git: Git, prefix: string): Promise<Map<string, string>> {
  const lines = await git.read(["for-each-ref", "--format=%(objectname) %(refname)", prefix.replace(/\/$/, "")])
  const pairs = lines.split("\n").filter((line) => line !== "")
  return new Map(pairs.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]))
}

function readFolder(commonDir: string, folder: string, into: Map<string, string>): void {
  for (const entry of entriesOf(`${commonDir}/${folder}`)) {
    const ref = `${folder}/${entry.name}`
    if (entry.isDirectory()) readFolder(commonDir, ref, into)
    else if (!entry.name.endsWith(".lock")) readLoose(commonDir, ref, into)
  }
}

function readLoose(commonDir: string, ref: string, into: Map<string, string>): void {
  const commit = /^[0-9a-f]{40,64}(?=\s*$)/.exec(readText(`${commonDir}/${ref}`))?.[0]
  if (commit !== undefined) into.set(ref, commit)
}

/** Not the null id. */
export function isCommitId(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text) && !/^0+$/.test(text)
}

export function commonDirOf(gitDir: string): string {
  const link = readText(`${gitDir}/commondir`).trim()
  return link === "" ? gitDir : resolvePath(link, gitDir)
}
