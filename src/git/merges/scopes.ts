import { pinRef, workerBranch } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import { basename } from "../../lib/paths.ts"
import type { JudgedChange } from "../../ownership/scope.ts"
import { findCommit } from "../ancestry.ts"
import type { Git } from "../git.ts"
import { listChanges } from "../list-changes.ts"
import { type OwnIndex, openIndex } from "../own-index.ts"
import type { Aside, AsideRequest, AsideResult, Scopes } from "../port.ts"
import { treeOfIndex } from "../read-status.ts"
import { giveIndex, makeRepository, publish, sourceOf } from "../workspaces/private-repository.ts"
import { bringHead } from "../workspaces/read-work.ts"
import { listSubmodules, nestedHead } from "../workspaces/submodules.ts"
import {
  type CheckoutPlace,
  findPlace as findOwnPlace,
  gitAt,
  isView,
  placeOfView,
  writeHead,
} from "../workspaces/view.ts"
import { startOfWork } from "../workspaces/workspace-record.ts"
import { commitTree, rewriteCommits, treeOf } from "./rewrite-commits.ts"

export function makeScopes(git: Git, home: string): Scopes {
  return {
    changes: (from, to) => listChanges(git, from, to),
    async setAside(request) {
      const here = gitAt(git.in(request.folder), home)
      const place = findOwnPlace(home, request.folder)
      return place === undefined ? setAside(here, request) : setAsideIn(here, place, request)
    },
  }
}

/**
 * In a workspace everything is done with our own view of it, and the worker's repository is told at the end. Where that
 * cannot be read or written any more, the files count from the last commit that was seen, and it gets a new repository.
 */
async function setAsideIn(git: Git, place: CheckoutPlace, request: AsideRequest): Promise<AsideResult> {
  const { commonDir } = await git.places()
  const seen = await bringHead({ git, commonDir }, { ...place, isLinked: false })
  const result = await setAside(git, request)
  const branch = seen.branch ?? branchOf(place, request)
  try {
    if (seen.commit === null) throw new AppError("workspace.unproven", "its repository cannot be read")
    if (seen.branch === null || result.head !== seen.commit) publish(place, { branch, commit: result.head })
    // One that is of an earlier commit would show the worker changes that nobody made.
    else if (treeOfIndex(`${place.view}/index`) === (await treeOf(git, result.head))) giveIndex(place)
  } catch (error) {
    if (!(error instanceof AppError && error.code === "workspace.unproven")) throw error
    await makeRepository(await sourceOf(git), place, { branch: branchOf(place, request), commit: result.head })
    giveIndex(place)
  }
  return result
}

/** The worker's own, which a worker that went to no branch comes back to. */
function branchOf({ path }: CheckoutPlace, request: AsideRequest): string {
  return workerBranch(request, basename(path))
}

/**
 * Everything is built beside the worktree, with an index of its own: the kept commits, then the one that holds the rest.
 * That is pinned before the branch moves, and the files follow last, so whatever moment it ends at, nothing is lost and
 * the next call goes on.
 */
async function setAside(git: Git, request: AsideRequest): Promise<AsideResult> {
  const { judge, message, brings } = request
  const { base, head, headTree, adminDir } = await findPlace(git, request)
  const own = isView(adminDir)
    ? { head: { commit: head, tree: headTree }, staged: `${placeOfView(adminDir).gitDir}/index` }
    : {}
  using index = openIndex(git, { folder: adminDir, ...own })
  const { full, unborn } = await snapshot(git, index, adminDir)
  const changes = await listChanges(git, base, full)
  const judged = judge(changes)
  const rewritten = await rewriteCommits(git, {
    ...{ base, head, judge, brings },
    makeTree: (kept, all) => index.apply(base, kept, all),
  })
  const isWhole = judged.aside.length === 0 && judged.kept.length === changes.length && !rewritten.isChanged
  const tree = isWhole ? full : await index.apply(base, judged.kept, changes)
  const isCommitted = tree === (rewritten.head === head ? headTree : await treeOf(git, rewritten.head))
  const kept = isCommitted ? rewritten.head : await commitTree(git, { tree, parents: [rewritten.head], message })
  const lost = union([...judged.aside, ...rewritten.aside, ...unborn.map(unbornChange)])
  const aside =
    lost.length === 0 && !rewritten.isChanged ? null : await pinAside(git, request, { full, kept, head, changes: lost })
  if (kept !== head && isView(adminDir)) writeHead(adminDir, kept)
  else if (kept !== head) await git.read(["update-ref", "-m", "teamwork: what is in scope", "HEAD", kept, head])
  const mayTakeOver = isWhole && unborn.length === 0
  const isMoved = kept !== head || full !== tree
  if (isMoved && !(mayTakeOver && index.takeOver())) await moveFiles(git, full, kept)
  // What was seen just now need not be looked at again.
  if (!isMoved && mayTakeOver && isView(adminDir)) index.takeOver()
  return { base, head: kept, kept: judged.kept, aside }
}

interface WorkPlace {
  readonly base: string
  readonly head: string
  readonly headTree: string
  /** Git's own files of the worktree. */
  readonly adminDir: string
}

async function findPlace(git: Git, request: AsideRequest): Promise<WorkPlace> {
  const isKnown = /^[0-9a-f]{40,64}$/.test(request.base ?? "")
  const { gitDir: adminDir } = await git.places()
  const [head, base] = isKnown ? await Promise.all([findCommit(git, "HEAD"), findCommit(git, request.base ?? "")]) : []
  if (head !== undefined && base !== undefined)
    return { base: base.commit, head: head.commit, headTree: head.tree, adminDir }
  // Also to say in its own words what is wrong.
  return {
    base: await findBase(git, request),
    head: await git.read(["rev-parse", "--verify", "HEAD^{commit}"]),
    headTree: await treeOf(git, "HEAD"),
    adminDir,
  }
}

/** Git cannot add a repository without a commit, and says so: only then one has to be looked for. */
async function snapshot(
  git: Git,
  index: OwnIndex,
  adminDir: string,
): Promise<{ full: string; unborn: readonly string[] }> {
  const submodules = await listSubmodules(git, `${adminDir}/index`)
  const whole = await index.trySnapshot(submodules)
  if (whole !== undefined) return { full: whole, unborn: [] }
  const unborn = await listUnborn(git)
  return { full: await index.snapshot(submodules, unborn), unborn }
}

async function findBase(git: Git, request: AsideRequest): Promise<string> {
  const name = request.base ?? refOf(request, "base")
  const { exitCode, stdout } = await git.run([
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${name}^{commit}`,
  ])
  if (exitCode === 0) {
    await assertNotAt(git, name)
    return stdout.trim()
  }
  const start = request.base === undefined ? await startOfWork(git) : undefined
  if (start !== undefined) return start
  const what = request.base === undefined ? `no base is pinned for task ${request.task}` : `there is no commit ${name}`
  throw new AppError(
    "input.invalid",
    (say) => `${what}; say with ${say.field("base")} at which commit or branch its work began`,
  )
}

/** What the work is compared with must not be what the work is committed to. */
async function assertNotAt(git: Git, name: string): Promise<void> {
  const [branch, here] = await Promise.all([
    git.run(["rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", name]),
    git.run(["symbolic-ref", "--quiet", "HEAD"]),
  ])
  if (here.exitCode !== 0 || branch.stdout.trim() !== here.stdout.trim()) return
  throw new AppError("input.invalid", `${name} is checked out here; do the work of a task on a branch of its own`)
}

function refOf({ project, team, run, task, attempt }: AsideRequest, kind: "base" | "aside"): string {
  return pinRef({ project, team, run }, { taskId: task, attempt }, kind)
}

/** Repositories inside of the worktree that have no commit: git can neither add nor name them. */
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
    message: `${JSON.stringify(path)} is a repository of its own without a commit; it stays where it is`,
  }
}

/** Each path once: what a commit held and what is there now may be the same. */
function union(changes: readonly JudgedChange[]): JudgedChange[] {
  return [...new Map(changes.toReversed().map((change) => [change.path, change])).values()].reverse()
}

interface AsideContent {
  readonly full: string
  readonly kept: string
  readonly head: string
  readonly changes: readonly JudgedChange[]
}

/** What was set aside before stays reachable, and so do the commits as they were. */
async function pinAside(git: Git, request: AsideRequest, { full, kept, head, changes }: AsideContent): Promise<Aside> {
  const ref = refOf(request, "aside")
  const before = (await git.run(["rev-parse", "--verify", "--quiet", ref])).stdout.trim()
  if (before !== "" && (await isSame(git, before, { full, kept })))
    return { commit: before, ref, isNew: false, changes }
  const lines = changes.map(({ path, change, message }) => `- ${change} ${JSON.stringify(path)}: ${message}`)
  const message = `Set aside: outside of the files of task ${request.task}\n\n${lines.join("\n")}`
  const contained = async (commit: string) =>
    commit === "" || (await git.run(["merge-base", "--is-ancestor", commit, kept])).exitCode === 0
  const parents = [kept]
  for (const commit of [head, before]) if (!(await contained(commit))) parents.push(commit)
  const commit = await commitTree(git, { tree: full, parents, message })
  await git.read(["update-ref", "-m", "teamwork: set aside", ref, commit, before || "0".repeat(commit.length)])
  return { commit, ref, isNew: true, changes }
}

async function isSame(git: Git, aside: string, { full, kept }: { full: string; kept: string }): Promise<boolean> {
  const parent = await git.run(["rev-parse", "--verify", "--quiet", `${aside}^1`])
  return parent.stdout.trim() === kept && (await treeOf(git, aside)) === full
}

/** Takes the files to the commit. Whoever writes one of them meanwhile makes it fail, and keeps what was written. */
async function moveFiles(git: Git, full: string, kept: string): Promise<void> {
  await git.read(["read-tree", full])
  await git.run(["update-index", "-q", "--refresh"])
  await git.read(["read-tree", "-m", "-u", full, kept])
}
