import { existsSync, mkdirSync } from "node:fs"
import { integrationBranch, workerRefs } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import { holdLock } from "../../lib/file-lock.ts"
import type { Workspace, WorkspaceState, Workspaces } from "../port.ts"
import { readRefs } from "../read-refs.ts"
import { workerBranch } from "../resolve.ts"
import { createWorktree, isUsable } from "./create-workspace.ts"
import { examineWorktrees } from "./examine-workspace.ts"
import type { Ground } from "./ground.ts"
import { moveWorktree } from "./move-workspace.ts"
import { branchLines, pinWorktree, statusOf } from "./pin-worktree.ts"
import { proveWorktree } from "./prove.ts"
import { bringHead } from "./read-work.ts"
import { removeFound } from "./remove-workspace.ts"
import { syncWorktree } from "./sync-workspace.ts"
import { type Found, findWorkspace, isFinished, listWorkspaces, writeRecord } from "./workspace-record.ts"

/** Making a worktree may include an installation of everything a project needs. */
const PATIENCE_MS = 60_000

export function makeWorkspaces(ground: Ground): Workspaces {
  const { folder, team, sleep } = ground
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
        `another process works on the worktree of ${worker}; try again once it is done`,
      )
    return await work() // not before it is done may the lock end
  }
  const branchOf = (worker: string) => workerBranch(team, worker)
  return {
    team,
    integrationBranch: integrationBranch(team),
    branchOf,
    pathOf: (worker) => `${folder}/${worker}`,
    create: (request) => alone(request.worker, () => createWorktree(ground, request)),
    move: (request) => alone(request.worker, () => moveWorktree(ground, request)),
    prove: (request) => prove(ground, request),
    sync: (request) => alone(request.worker, () => syncWorktree(ground, request)),
    async find(worker) {
      const found = findWorkspace(ground, worker)
      return found && stateOf(ground, found)
    },
    list: () => Promise.all(listWorkspaces(ground).map((found) => stateOf(ground, found))),
    remove: ({ worker, place }) =>
      alone(worker, async () => {
        const found = findWorkspace(ground, worker)
        const path = `${folder}/${worker}`
        if (found === undefined) return { worker, path, isRemoved: false, pinned: [] }
        return {
          worker,
          path,
          isRemoved: true,
          pinned: await removeFound(ground, found, { branch: branchOf(worker), place }),
        }
      }),
    async follow() {
      const tips = await readRefs(ground.git, ground.commonDir, `${workerRefs(team)}/`)
      const lines: string[] = []
      for (const found of listWorkspaces(ground)) {
        if (!isUsable(found)) continue
        const branch = branchOf(found.worker)
        const { commit } = await bringHead(ground, found)
        const tip = tips.get(`refs/heads/${branch}`)
        if (commit !== null) lines.push(...branchLines(ground, found, { branch, tip, head: commit }))
      }
      // A branch that moved meanwhile was pinned meanwhile.
      if (lines.length > 0) await ground.git.run(["update-ref", "--stdin"], { input: `${lines.join("\n")}\n` })
    },
    pin: ({ worker, place }) =>
      alone(worker, async () => {
        const found = findWorkspace(ground, worker)
        return found === undefined ? [] : (await pinWorktree(ground, found, { branch: branchOf(worker), place })).pins
      }),
    disown: ({ worker, attempt }) =>
      alone(worker, async () => {
        const { record, view } = findWorkspace(ground, worker) ?? {}
        // By now it may be used for another one, which is its worker's own.
        const isHeld = record?.attempt?.task === attempt.task && record.attempt.attempt === attempt.attempt
        if (record && isHeld && view !== undefined) writeRecord(view, { ...record, attempt: null })
      }),
    async examine(fix) {
      if (!existsSync(folder)) return []
      return examineWorktrees(ground, fix, async (worker, work) => {
        using lock = await hold(worker, 0)
        if (lock !== undefined) await work()
      })
    },
  }
}

async function prove(
  ground: Ground,
  { worker, base, resumes }: { worker: string; base: string; resumes?: boolean },
): Promise<Workspace> {
  const branch = workerBranch(ground.team, worker)
  const found = findWorkspace(ground, worker)
  if (found === undefined)
    throw new AppError("workspace.unproven", `${worker} has no worktree`, { worker, reason: "missing" })
  const head = await proveWorktree(ground, found, { branch, base, resumes })
  return { worker, path: found.path, branch, base, head, attempt: found.record?.attempt ?? null }
}

async function stateOf(ground: Ground, found: Found): Promise<WorkspaceState> {
  const { worker, path, record } = found
  const known = { worker, path, base: record?.base ?? null, attempt: record?.attempt ?? null }
  const { branch, commit } = await bringHead(ground, found)
  const status = commit === null ? null : await statusOf(ground, found, commit)
  if (status === null) {
    const state = found.folder === "gone" ? "gone" : "broken"
    return { ...known, branch: null, head: null, state, changes: [] }
  }
  const changes = status.changes.map((change) => change.path)
  const state = isFinished(found) ? (changes.length === 0 ? "clean" : "changed") : "unfinished"
  return { ...known, branch, head: commit, state, changes }
}
