import type { Merges } from "../../git/port.ts"
import { findRule } from "../shared-files/find-rule.ts"
import { isManifest, LOCK_TOOLS, type LockTool, placesOfLocks, whatIsLocked } from "../shared-files/lock-files.ts"
import { mergeJson } from "../shared-files/merge-json.ts"
import { mergeToml } from "../shared-files/merge-toml.ts"
import { mergeYaml } from "../shared-files/merge-yaml.ts"
import type { Decide, MergedFile, MergeRule } from "../shared-files/shared-file.ts"

/** Runs the tool on these files. Returns the new text, or why there is none. */
export type LockMaker = (request: {
  readonly tool: LockTool
  readonly lock: string
  readonly files: ReadonlyMap<string, string>
}) => Promise<{ readonly text: string } | { readonly problem: string }>

interface LockPorts {
  readonly merges: Merges
  readonly makeLock?: LockMaker
}

interface LockRequest {
  readonly onto: string
  readonly base: string
  readonly head: string
  /** Everything except the lock files in conflict. */
  readonly tree: string
  readonly conflicted: readonly string[]
  readonly decide: (path: string) => Decide
}

interface LockResult {
  readonly tree: string
  readonly told: readonly MergedFile[]
}

/**
 * Updates lock files for the merged manifests: the tool regenerates a lock file that both sides changed, or whose
 * manifest changed without it. If the tool fails and only one side changed the file, that side wins; otherwise a
 * person is asked. Undefined when a conflicting file is no known lock file.
 */
export async function settleLocks(ports: LockPorts, request: LockRequest): Promise<LockResult | undefined> {
  const { merges } = ports
  const { base, head, onto, conflicted } = request
  const theirs = (await merges.changes(base, head)).map(({ path }) => path)
  const locks = await findLocks(merges, request.tree, [...theirs, ...conflicted])
  if (locks.size === 0) return { tree: request.tree, told: [] }
  const ours = (await merges.changes(base, onto)).map(({ path }) => path)
  let { tree } = request
  const told: MergedFile[] = []
  for (const [path, tool] of locks) {
    const lock = await lookAtLock(merges, { ...request, path, ours, theirs })
    if (!lock.isStale) continue
    const settled = await settleLock(ports, { ...request, ...lock, path, tool, tree })
    if (settled === "asked") continue
    if (settled === undefined) return undefined
    if (settled.text !== undefined) tree = await merges.write(tree, new Map([[path, settled.text]]))
    told.push({ path, how: settled.how })
  }
  return { tree, told }
}

/** Changed lock files, and lock files of changed manifests. */
async function findLocks(merges: Merges, tree: string, paths: readonly string[]): Promise<Map<string, LockTool>> {
  const found = new Map<string, LockTool>()
  for (const path of paths) {
    const own = LOCK_TOOLS.find(({ lock }) => lock === path.split("/").at(-1))
    if (own !== undefined) found.set(path, own)
    let folder: string | undefined
    for (const place of isManifest(path) ? placesOfLocks(path) : []) {
      const at = place.path.slice(0, place.path.lastIndexOf("/") + 1)
      if (folder !== undefined && at !== folder) break
      if ((await merges.read(tree, place.path)) === undefined) continue
      folder = at
      found.set(place.path, place.tool)
    }
  }
  return found
}

interface Lock {
  readonly was: string | undefined
  readonly ours: string | undefined
  readonly theirs: string | undefined
  readonly isConflicted: boolean
  /** Only the task changed it or its manifest. */
  readonly isOnlyTheirs: boolean
  readonly isStale: boolean
}

interface Look extends LockRequest {
  readonly path: string
}

async function lookAtLock(
  merges: Merges,
  look: Omit<Look, "ours"> & { readonly ours: readonly string[]; readonly theirs: readonly string[] },
): Promise<Lock> {
  const { path, base, onto, head } = look
  const [was, ours, theirs] = await Promise.all([base, onto, head].map((commit) => merges.read(commit, path)))
  const isOtherFor = async (paths: readonly string[], commit: string) => {
    for (const each of paths) {
      if (!placesOfLocks(each).some((place) => place.path === path)) continue
      const [before, now] = [await merges.read(base, each), await merges.read(commit, each)]
      if (whatIsLocked(each, before) !== whatIsLocked(each, now)) return true
    }
    return false
  }
  const [oursAsk, theirsAsk] = [await isOtherFor(look.ours, onto), await isOtherFor(look.theirs, head)]
  const isConflicted = look.conflicted.includes(path)
  const areBoth = theirs !== was && ours !== was && theirs !== ours
  // A file of hash lines contains both sides already.
  const isStale =
    isConflicted || (areBoth && findRule(path) === undefined) || (theirsAsk && (theirs === was || oursAsk))
  return { was, ours, theirs, isConflicted, isOnlyTheirs: ours === was && !oursAsk, isStale }
}

interface LockWork extends Lock, LockRequest {
  readonly path: string
  readonly tool: LockTool
}

type LockSettled = { readonly text?: string; readonly how: string } | "asked" | undefined

async function settleLock(ports: LockPorts, work: LockWork): Promise<LockSettled> {
  const { path, tool, was, ours, theirs, isConflicted } = work
  if (ours === undefined || theirs === undefined) return isConflicted ? undefined : { how: "one side removed it" }
  const made = await make(ports, work, ours)
  if ("text" in made) return { text: made.text, how: `made anew by ${tool.name}` }
  if (!isConflicted && (work.isOnlyTheirs || theirs === was))
    return { how: `left as it is, ${tool.name} could not make it anew: ${made.problem}` }
  const asked = {
    key: "",
    base: null,
    ours: nameText(ours),
    theirs: nameText(theirs),
    note: `${tool.name}: ${made.problem}`,
  }
  const side = work.decide(path)(asked)
  if (side === undefined) return "asked"
  return {
    text: side === "ours" ? ours : theirs,
    how: `${side === "ours" ? "kept" : "taken"} as a person decided`,
  }
}

/** Too long to show, but different texts stay different. */
function nameText(text: string): string {
  return `a file of ${text.length} letters (${new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 10)})`
}

async function make({ merges, makeLock }: LockPorts, work: LockWork, ours: string) {
  if (makeLock === undefined) return { problem: "no program may be started here" }
  const { tree, tool, path, was = "", theirs = "" } = work
  const files = new Map<string, string>()
  for (const each of await merges.paths(tree)) {
    if (!tool.needs.test(each.split("/").at(-1) ?? "") || /(?:^|\/)(?:node_modules|vendor|target)\//.test(each))
      continue
    const text = await merges.read(tree, each)
    if (text !== undefined) files.set(each, text)
  }
  // Start from what both sides resolved, so that the tool need not ask the network.
  const seed = ruleOfSeed(path)?.({ base: was, ours, theirs }, () => "theirs")
  files.set(path, seed !== undefined && "text" in seed ? seed.text : ours)
  return makeLock({ tool, lock: path, files })
}

function ruleOfSeed(path: string): MergeRule | undefined {
  if (/(?:\.json|composer\.lock)$/.test(path)) return mergeJson
  if (/\.ya?ml$/.test(path)) return mergeYaml
  return /(?:Cargo|uv|poetry)\.lock$/.test(path) ? mergeToml : undefined
}
