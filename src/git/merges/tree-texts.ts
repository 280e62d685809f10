import { systemIds } from "../../lib/make-ids.ts"
import { temporaryIndex } from "../copy-index.ts"
import type { Git } from "../git.ts"

/** Undefined if the file is missing or not valid UTF-8. */
export async function readTextFile(git: Git, tree: string, path: string): Promise<string | undefined> {
  const found = await (await git.objects()).read(`${tree}:${path}`)
  if (found?.type !== "blob") return undefined
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found.content)
  } catch {
    return undefined // writing it back would change its bytes
  }
}

/** A temporary index leaves all checkouts unaffected. */
export async function writeTextFiles(git: Git, tree: string, texts: ReadonlyMap<string, string>): Promise<string> {
  if (texts.size === 0) return tree
  const { commonDir } = await git.places()
  using own = temporaryIndex(`${commonDir}/teamwork-merge-index-${systemIds.uuid()}`)
  await git.read(["read-tree", tree], own)
  const modes = await readModes(git, tree, [...texts.keys()])
  let lines = ""
  for (const [path, text] of texts) {
    const id = await git.read(["hash-object", "-w", "--stdin"], { input: text })
    lines += `${modes.get(path) ?? "100644"} ${id}\t${path}\0`
  }
  await git.read(["update-index", "-z", "--index-info"], { ...own, input: lines })
  return await git.read(["write-tree"], own)
}

async function readModes(git: Git, tree: string, paths: readonly string[]): Promise<Map<string, string>> {
  const entries = await git.list(["ls-tree", "-z", "--full-tree", tree, "--", ...paths])
  return new Map(
    entries.flatMap((entry) => {
      const [, mode, path] = /^(\d+) \w+ [0-9a-f]+\t([\s\S]*)$/.exec(entry) ?? []
      return mode === undefined || path === undefined ? [] : [[path, mode] as const]
    }),
  )
}
