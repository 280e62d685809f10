import { existsSync, mkdirSync } from "node:fs"
import { integrationBranch, workerRefs } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import { holdLock } from "../../lib/file-lock.ts"
import type { WorkspaceState, Workspaces } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { workerBranch } from "../resolve.ts"
import { createWorktree, isUsable } from "./create-workspace.ts"
import { examineWorktrees } from "./examine-workspace.ts"
import { importHead } from "./import-work.ts"
import { moveWorktree } from "./move-workspace.ts"
import { branchLines, pinWorktree, statusOf } from "./pin-worktree.ts"
import { removeFound } from "./remove-workspace.ts"
import { syncWorktree } from "./sync-workspace.ts"
import type { WorkspaceContext } from "./workspace-context.ts"
import { type FoundWorkspace, findWorkspace, isFinished, listWorkspaces, writeRecord } from "./workspace-record.ts"

/** Creating a worktree may include an installation. */
const PATIENCE_MS = 60_000

export function makeWorkspaces(context: WorkspaceContext): Workspaces {
  const { folder, team, sleep } = context
  const hold = (worker: string, patienceMs: number) => {
    mkdirSync(`${folder}/.locks`, { recursive: true })
    return holdLock(`${folder}/.locks/${worker}`, { patienceMs, sleep })
  }
  const alone = async <T>(worker: string, work: () => Promise<T>): Promise<T> => {
    branchOf(worker)
    using lock = await hold(worker, PATIENCE_MS)
    if (lock === undefined)
      throw new AppError(
        "workspace.busy",
        `another process works on the worktree of ${worker}; try again when it is done`,
      )
    return await work() // awaited, to hold the lock until the end
  }
  const branchOf = (worker: string) => workerBranch(team, worker)
  return {
    team,
    integrationBranch: integrationBranch(team),
    branchOf,
    pathOf: (worker) => `${folder}/${worker}`,
    create: (request) => alone(request.worker, () => createWorktree(context, request)),
    move: (request) => alone(request.worker, () => moveWorktree(context, request)),
    sync: (request) => alone(request.worker, () => syncWorktree(context, request)),
    async find(worker) {
      const found = findWorkspace(context, worker)
      return found && stateOf(context, found)
    },
    list: () => Promise.all(listWorkspaces(context).map((found) => stateOf(context, found))),
    remove: ({ worker, place }) =>
      alone(worker, async () => {
        const found = findWorkspace(context, worker)
        const path = `${folder}/${worker}`
        if (found === undefined) return { worker, path, isRemoved: false, pinned: [] }
        const pinned = await removeFound(context, found, { branch: branchOf(worker), place })
        return { worker, path, isRemoved: true, pinned }
      }),
    async follow() {
      const tips = await readRefs(context.git, context.commonDir, `${workerRefs(team)}/`)
      const lines: string[] = []
      for (const found of listWorkspaces(context)) {
        if (!isUsable(found)) continue
        const branch = branchOf(found.worker)
        const { commit } = await importHead(context, found)
        const tip = tips.get(`refs/heads/${branch}`)
        if (commit !== null) lines.push(...branchLines(context, found, { branch, tip, head: commit }))
      }
      // May fail: a branch that moved meanwhile was pinned.
      if (lines.length > 0) await context.git.run(["update-ref", "--stdin"], { input: `${lines.join("\n")}\n` })
    },
    pin: ({ worker, place }) =>
      alone(worker, async () => {
        const found = findWorkspace(context, worker)
        return found === undefined ? [] : (await pinWorktree(context, found, { branch: branchOf(worker), place })).pins
      }),
    disown: ({ worker, attempt }) =>
      alone(worker, async () => {
        const { record, view } = findWorkspace(context, worker) ?? {}
        // The worktree may already serve another attempt.
        const isHeld = record?.attempt?.task === attempt.task && record.attempt.attempt === attempt.attempt
        if (record && isHeld && view !== undefined) writeRecord(view, { ...record, attempt: null })
      }),
    async examine(fix) {
      if (!existsSync(folder)) return []
      return examineWorktrees(context, fix, async (worker, work) => {
        using lock = await hold(worker, 0)
        if (lock !== undefined) await work()
      })
    },
  }
}

async function stateOf(context: WorkspaceContext, found: FoundWorkspace): Promise<WorkspaceState> {
  const { worker, path, record } = found
  const known = { worker, path, base: record?.base ?? null, attempt: record?.attempt ?? null }
  const { branch, commit } = await importHead(context, found)
  const status = commit === null ? null : await statusOf(context, found, commit)
  if (status === null) {
    const state = found.folder === "gone" ? "gone" : "broken"
    return { ...known, branch: null, head: null, state, changes: [] }
  }
  const changes = status.changes.map((change) => change.path)
  const state = isFinished(found) ? (changes.length === 0 ? "clean" : "changed") : "unfinished"
  return { ...known, branch, head: commit, state, changes }
}
