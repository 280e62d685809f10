import { existsSync } from "node:fs"
import { AppError } from "../kernel/errors.ts"
import type { Git } from "./git.ts"
import { mayHide } from "./index-flags.ts"
import { findCleanTree } from "./is-clean.ts"
import { readBytes, readRefs, readText } from "./read-refs.ts"
import { firstLine } from "./workspaces/ground.ts"

export interface Status {
  /** The commit checked out; null before the first one. */
  readonly commit: string | null
  /** The branch checked out; null for none. */
  readonly branch: string | null
  /** Every path that differs from the commit, new files among them. */
  readonly changes: readonly Change[]
  /** Tracked paths that somebody told git to look away from, and that would hide a change. */
  readonly hidden: readonly string[]
  /** Folders that git could not look into. */
  readonly closed: readonly string[]
}

export interface Change {
  readonly path: string
  readonly kind: "changed" | "unmerged" | "untracked" | "ignored"
  /** Both the next commit and the file differ, each in its own way. */
  readonly isStagedAndChanged: boolean
  /** A git repository of its own. */
  readonly isRepository: boolean
}

interface StatusOptions {
  /** Lists ignored files too. */
  readonly ignored?: boolean
  /** For an index that we have just made: nobody can have hidden anything in it. */
  readonly isFresh?: boolean
}

/** The status of a worktree that is surely clean and on a branch; undefined when git has to look. */
export async function readCleanStatus(git: Git, path: string): Promise<Status | undefined> {
  const { gitDir, commonDir } = await git.places()
  const tree = findCleanTree(path, gitDir)
  const [, ref = ""] = /^ref: (refs\/heads\/\S+)\s*$/.exec(readText(`${gitDir}/HEAD`)) ?? []
  const commit = tree === undefined ? undefined : (await readRefs(git, commonDir, ref)).get(ref)
  if (commit === undefined || (await (await git.answers()).commit(commit))?.tree !== tree) return undefined
  return { commit, branch: ref.slice("refs/heads/".length), changes: [], hidden: [], closed: [] }
}

export async function readStatus(git: Git, adminDir: string, options: StatusOptions = {}): Promise<Status> {
  const flags = ["--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--no-renames"]
  const ignored = options.ignored === true ? ["--ignored=matching"] : []
  const [{ exitCode, stdout, stderr }, hidden] = await Promise.all([
    git.run(["status", ...flags, ...ignored, "--ignore-submodules=none"]),
    options.isFresh === true ? [] : listHidden(git, adminDir),
  ])
  if (exitCode !== 0) throw new AppError("git.failed", `git status failed: ${firstLine(stderr)}`)
  const lines = stdout.split("\0")
  const header = (name: string) => lines.find((line) => line.startsWith(`# ${name} `))?.slice(name.length + 3)
  const [commit, branch] = [header("branch.oid"), header("branch.head")]
  return {
    commit: commit === undefined || commit === "(initial)" ? null : commit,
    branch: branch === undefined || branch === "(detached)" ? null : branch,
    changes: lines.flatMap((line) => readChange(line) ?? []),
    hidden,
    closed: [...stderr.matchAll(/^warning: could not open directory '(.+?)\/?': /gm)].map(([, path = ""]) => path),
  }
}

const KINDS = { "1": "changed", u: "unmerged", "?": "untracked", "!": "ignored" } as const

function readChange(line: string): Change | undefined {
  const kind = KINDS[line.charAt(0) as keyof typeof KINDS]
  if (kind === undefined) return undefined
  if (kind === "untracked" || kind === "ignored") {
    const path = line.slice(2)
    // Files are listed one by one, so only a repository shows as a folder.
    return { kind, path: path.replace(/\/$/, ""), isStagedAndChanged: false, isRepository: path.endsWith("/") }
  }
  const words = line.split(" ")
  const [, xy = "", submodule = ""] = words
  return {
    kind,
    path: words.slice(kind === "unmerged" ? 10 : 8).join(" "),
    isStagedAndChanged: kind === "changed" && !xy.includes("."),
    isRepository: submodule.startsWith("S"),
  }
}

/** Paths marked assume-unchanged or skip-worktree, apart from those that a sparse checkout leaves out. */
async function listHidden(git: Git, adminDir: string): Promise<string[]> {
  if (!mayHide(readBytes(`${adminDir}/index`))) return []
  const entries = await git.list(["ls-files", "-v", "-z"])
  const isSparse = existsSync(`${adminDir}/info/sparse-checkout`)
  return entries
    .filter((entry) => /^[a-z]/.test(entry) || (entry.startsWith("S") && !isSparse))
    .map((entry) => entry.slice(2))
}
