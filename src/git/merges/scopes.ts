import { lstatSync } from "node:fs"
import { join } from "node:path"
import { pinRef, workerBranch } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import { basename } from "../../lib/paths.ts"
import type { JudgedChange } from "../../ownership/scope.ts"
import { findCommit, getCommit, getTree, isAncestor } from "../ancestry.ts"
import { listChanges } from "../changes.ts"
import { type Git, isGitFailure } from "../git.ts"
import { type OwnIndex, openIndex } from "../own-index.ts"
import type { Aside, AsideRequest, AsideResult, Scopes } from "../port.ts"
import { treeOfIndex } from "../read-status.ts"
import { importHead } from "../workspaces/import-work.ts"
import { makeRepository, shareIndex, sourceOf, updateRepository } from "../workspaces/private-repository.ts"
import { listSubmodules, nestedHead } from "../workspaces/submodules.ts"
import {
  type CheckoutPlace,
  findPlace as findOwnPlace,
  gitInFolder,
  isView,
  placeOfView,
  writeHead,
} from "../workspaces/view.ts"
import { startOfWork } from "../workspaces/workspace-record.ts"
import { commitTree, rewriteCommits } from "./rewrite-commits.ts"

export function makeScopes(git: Git, home: string): Scopes {
  return {
    changes: (from, to) => listChanges(git, from, to),
    async setAside(request) {
      const here = gitInFolder(git.in(request.folder), home)
      const place = findOwnPlace(home, request.folder)
      return place === undefined ? setAside(here, request) : setAsideIn(here, place, request)
    },
    async ignored(folder, paths) {
      const present = paths.filter((path) => lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined)
      if (present.length === 0) return []
      const input = `${present.join("\0")}\0`
      const here = gitInFolder(git.in(folder), home)
      // 1: none is ignored.
      const { exitCode, stdout } = await here.run(["check-ignore", "-z", "--stdin"], { input })
      return exitCode === 0 ? stdout.split("\0").filter((path) => path !== "") : []
    },
  }
}

/**
 * Works through our view, and updates the worker's repository at the end. If that repository is broken, compares
 * the files with the last commit we saw and gives the worker a new repository.
 */
async function setAsideIn(git: Git, place: CheckoutPlace, request: AsideRequest): Promise<AsideResult> {
  const { commonDir } = await git.places()
  const seen = await importHead({ git, commonDir }, { ...place, isLinked: false })
  const result = await setAside(git, request)
  const branch = seen.branch ?? branchOf(place, request)
  try {
    if (seen.commit === null) throw new AppError("workspace.unproven", "its repository cannot be read")
    if (seen.branch === null || result.head !== seen.commit) updateRepository(place, { branch, commit: result.head })
    // The index of an earlier commit would show the worker false changes.
    else if (treeOfIndex(`${place.view}/index`) === (await getTree(git, result.head))) shareIndex(place)
  } catch (error) {
    if (!(error instanceof AppError && error.code === "workspace.unproven")) throw error
    await makeRepository(await sourceOf(git), place, { branch: branchOf(place, request), commit: result.head })
    shareIndex(place)
  }
  return result
}

/** From a detached HEAD the worker returns to its own branch. */
function branchOf({ path }: CheckoutPlace, request: AsideRequest): string {
  return workerBranch(request, basename(path))
}

/**
 * Builds the kept commits and the rest with a temporary index. Pins the rest before the branch moves, and changes
 * files last: an interruption loses nothing, and the next call continues.
 */
async function setAside(git: Git, request: AsideRequest): Promise<AsideResult> {
  const { judge, message, brings } = request
  const { base, head, headTree, adminDir } = await readState(git, request)
  const own = isView(adminDir)
    ? { head: { commit: head, tree: headTree }, staged: `${placeOfView(adminDir).gitDir}/index` }
    : {}
  using index = openIndex(git, { folder: adminDir, ...own })
  const { full, unborn } = await snapshot(git, index, adminDir)
  const changes = await listChanges(git, base, full)
  const judged = judge(changes)
  const rewritten = await rewriteCommits(git, {
    base,
    head,
    judge,
    brings,
    makeTree: (kept, all) => index.apply(base, kept, all),
  })
  const isWhole = judged.aside.length === 0 && judged.kept.length === changes.length && !rewritten.isChanged
  const tree = isWhole ? full : await index.apply(base, judged.kept, changes)
  const isCommitted = tree === (rewritten.head === head ? headTree : await getTree(git, rewritten.head))
  const kept = isCommitted ? rewritten.head : await commitTree(git, { tree, parents: [rewritten.head], message })
  const lost = union([...judged.aside, ...rewritten.aside, ...unborn.map(unbornChange)])
  const aside =
    lost.length === 0 && !rewritten.isChanged ? null : await pinAside(git, request, { full, kept, head, changes: lost })
  if (kept !== head && isView(adminDir)) writeHead(adminDir, kept)
  else if (kept !== head) await git.read(["update-ref", "-m", "teamwork: what is in scope", "HEAD", kept, head])
  const mayTakeOver = isWhole && unborn.length === 0
  const isMoved = kept !== head || full !== tree
  if (isMoved && !(mayTakeOver && index.takeOver())) await moveFiles(git, full, kept)
  // The new index saves git from comparing the files again.
  if (!isMoved && mayTakeOver && isView(adminDir)) index.takeOver()
  return { base, head: kept, kept: judged.kept, aside }
}

interface WorkState {
  readonly base: string
  readonly head: string
  readonly headTree: string
  readonly adminDir: string
}

async function readState(git: Git, request: AsideRequest): Promise<WorkState> {
  const { gitDir: adminDir } = await git.places()
  const base = await findBase(git, request)
  const { commit: head, tree: headTree } = await getCommit(git, "HEAD")
  return { base, head, headTree, adminDir }
}

/** Git fails to add a nested repository without a commit; only then search for them. */
async function snapshot(
  git: Git,
  index: OwnIndex,
  adminDir: string,
): Promise<{ full: string; unborn: readonly string[] }> {
  const submodules = await listSubmodules(git, `${adminDir}/index`)
  try {
    return { full: await index.snapshot(submodules), unborn: [] }
  } catch (error) {
    if (!isGitFailure(error)) throw error
    const unborn = await listUnborn(git)
    return { full: await index.snapshot(submodules, unborn), unborn }
  }
}

async function findBase(git: Git, request: AsideRequest): Promise<string> {
  const name = request.base ?? refOf(request, "base")
  const found = await findCommit(git, name)
  if (found !== undefined) {
    if (found.commit !== name) await assertNotAt(git, name)
    return found.commit
  }
  const start = request.base === undefined ? await startOfWork(git) : undefined
  if (start !== undefined) return start
  const what = request.base === undefined ? `no base is pinned for task ${request.task}` : `there is no commit ${name}`
  throw new AppError(
    "input.invalid",
    (say) => `${what}; name the commit or branch that its work started from with ${say.field("base")}`,
  )
}

async function assertNotAt(git: Git, name: string): Promise<void> {
  const [branch, here] = await Promise.all([
    git.run(["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", name]),
    git.run(["symbolic-ref", "--quiet", "HEAD"]),
  ])
  if (here.exitCode !== 0 || branch.stdout.trim() !== here.stdout.trim()) return
  throw new AppError("input.invalid", `${name} is checked out here; do the work of a task on its own branch`)
}

function refOf({ project, team, run, task, attempt }: AsideRequest, kind: "base" | "aside"): string {
  return pinRef({ project, team, run }, { taskId: task, attempt }, kind)
}

/** Nested repositories without a commit. */
async function listUnborn(git: Git): Promise<string[]> {
  const root = await git.read(["rev-parse", "--show-toplevel"])
  const others = await git.list(["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"])
  const unborn: string[] = []
  for (const path of others.filter((each) => each.endsWith("/")))
    if ((await nestedHead(git, `${root}/${path}`)) === undefined) unborn.push(path)
  return unborn
}

function unbornChange(path: string): JudgedChange {
  return {
    path: path.replace(/\/$/, ""),
    change: "added",
    type: "repository",
    inScope: false,
    reason: "nested_repository",
    message: `${JSON.stringify(path)} is a separate git repository without a commit; it stays where it is`,
  }
}

/** A commit and the files may have the same change. */
function union(changes: readonly JudgedChange[]): JudgedChange[] {
  return [...new Map(changes.toReversed().map((change) => [change.path, change])).values()].reverse()
}

interface AsideContent {
  readonly full: string
  readonly kept: string
  readonly head: string
  readonly changes: readonly JudgedChange[]
}

/** Keeps the original commits, and what was set aside before, reachable. */
async function pinAside(git: Git, request: AsideRequest, { full, kept, head, changes }: AsideContent): Promise<Aside> {
  const ref = refOf(request, "aside")
  const before = (await git.run(["rev-parse", "--verify", "--quiet", ref])).stdout.trim()
  if (before !== "" && (await isSame(git, before, { full, kept })))
    return { commit: before, ref, isNew: false, changes }
  const lines = changes.map(({ path, change, message }) => `- ${change} ${JSON.stringify(path)}: ${message}`)
  const message = `Set aside: outside of the files of task ${request.task}\n\n${lines.join("\n")}`
  const parents = [kept]
  for (const commit of [head, before]) if (commit !== "" && !(await isAncestor(git, commit, kept))) parents.push(commit)
  const commit = await commitTree(git, { tree: full, parents, message })
  await git.read(["update-ref", "-m", "teamwork: set aside", ref, commit, before || "0".repeat(commit.length)])
  return { commit, ref, isNew: true, changes }
}

async function isSame(git: Git, aside: string, { full, kept }: { full: string; kept: string }): Promise<boolean> {
  const { parents, tree } = await getCommit(git, aside)
  return parents[0] === kept && tree === full
}

/** Fails, and keeps the change, if another process changes one of the files meanwhile. */
async function moveFiles(git: Git, full: string, kept: string): Promise<void> {
  await git.read(["read-tree", full])
  await git.run(["update-index", "-q", "--refresh"])
  await git.read(["read-tree", "-m", "-u", full, kept])
}
