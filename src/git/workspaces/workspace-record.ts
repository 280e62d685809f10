import { lstatSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as v from "valibot"
import { SetupRecord } from "../../checkouts/port.ts"
import { basename, resolvePath } from "../../lib/paths.ts"
import { entriesOf, readText } from "../../lib/read-files.ts"
import { type Git, withVariables } from "../git.ts"
import { type CheckoutPlace, gitWithView, hasGitFile, makeView, namesIn, placeIn } from "./view.ts"
import { readWorktreePath, type WorkspaceContext } from "./workspace-context.ts"

/**
 * Kept in the view, and written when the workspace is complete. If it is missing, or something is pending, the
 * process was interrupted.
 */
const WorkspaceRecord = v.object({
  base: v.string(),
  attempt: v.nullable(v.object({ task: v.string(), attempt: v.number() })),
  pending: v.nullable(v.picklist(["move", "sync", "remove"])),
  setup: v.fallback(v.optional(SetupRecord), undefined),
})
export type WorkspaceRecord = Readonly<v.InferOutput<typeof WorkspaceRecord>>

export interface FoundWorkspace extends CheckoutPlace {
  readonly worker: string
  readonly record: WorkspaceRecord | null
  /** `other`: not the folder that we made. */
  readonly folder: "there" | "gone" | "other"
  /**
   * A linked worktree of the user's repository, from version 0.1.0: `gitDir` and `view` are its git folder, its
   * refs are the user's. It is pinned and replaced.
   */
  readonly isLinked: boolean
}

export function isFinished({ record }: FoundWorkspace): boolean {
  return record !== null && record.pending === null
}

export function findWorkspace(context: WorkspaceContext, worker: string): FoundWorkspace | undefined {
  const place = placeIn(context.folder, worker)
  if (lstatSync(place.view, { throwIfNoEntry: false }) !== undefined)
    return inspect(worker, withoutLinks(context, place))
  return listLinked(context).find((found) => found.worker === worker)
}

export function listWorkspaces(context: WorkspaceContext): FoundWorkspace[] {
  const own = namesIn(context.folder).map((name) => inspect(name, withoutLinks(context, placeIn(context.folder, name))))
  const linked = listLinked(context).filter((found) => !own.some(({ worker }) => worker === found.worker))
  return [...own, ...linked].sort((a, b) => (a.worker < b.worker ? -1 : 1))
}

/**
 * A worker may have replaced the view or the repository with a link to files of others: removes it. With an empty
 * view the workspace counts as unfinished, so its files are pinned and it is replaced.
 */
function withoutLinks({ commonDir }: WorkspaceContext, place: CheckoutPlace): CheckoutPlace {
  const isLink = (folder: string) => lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (isLink(place.gitDir)) rmSync(place.gitDir)
  if (isLink(place.view)) {
    rmSync(place.view)
    makeView(place, { commonDir, commit: NO_COMMIT })
  }
  return place
}

const NO_COMMIT = "0".repeat(40)

function inspect(worker: string, place: CheckoutPlace): FoundWorkspace {
  return { ...place, worker, record: readRecord(place.view), folder: folderState(place), isLinked: false }
}

function folderState(place: CheckoutPlace): FoundWorkspace["folder"] {
  // A link may lead to files of others.
  if (lstatSync(place.path, { throwIfNoEntry: false })?.isDirectory() !== true) return "gone"
  return hasGitFile(place) ? "there" : "other"
}

function listLinked({ commonDir, folder }: WorkspaceContext): FoundWorkspace[] {
  return entriesOf(`${commonDir}/worktrees`)
    .map((entry) => `${commonDir}/worktrees/${entry.name}`)
    .map((adminDir) => ({ gitDir: adminDir, view: adminDir, path: readWorktreePath(adminDir) }))
    .filter(({ path }) => path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/"))
    .map((place) => ({
      ...place,
      worker: basename(place.path),
      record: readRecord(place.view),
      folder: linkedState(place.path, place.gitDir),
      isLinked: true,
    }))
}

function linkedState(path: string, adminDir: string): FoundWorkspace["folder"] {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return "gone"
  if (!stat.isDirectory()) return "other"
  const link = /^gitdir: (.+)$/m.exec(readText(`${path}/.git`))?.[1]
  return link !== undefined && resolvePath(link, path) === adminDir ? "there" : "other"
}

/** Undefined outside of a workspace. */
export async function startOfWork(git: Git): Promise<string | undefined> {
  return readRecord((await git.places()).gitDir)?.base
}

/** Undefined outside of a workspace. */
export async function setupOfWork(git: Git): Promise<SetupRecord | undefined> {
  return readRecord((await git.places()).gitDir)?.setup
}

const RECORD = "teamwork.json"

function readRecord(view: string): WorkspaceRecord | null {
  const text = readText(`${view}/${RECORD}`)
  const { output, success } = v.safeParse(v.pipe(v.string(), v.parseJson(), WorkspaceRecord), text)
  return success ? output : null
}

export function writeRecord(view: string, record: WorkspaceRecord): void {
  const file = `${view}/${RECORD}`
  writeFileSync(`${file}.new`, JSON.stringify(record))
  renameSync(`${file}.new`, file)
}

/** Git folder of the user's checkout of a branch. */
export function findCheckout(
  { commonDir }: Pick<WorkspaceContext, "commonDir">,
  branch: string,
  except = "",
): string | undefined {
  const linked = entriesOf(`${commonDir}/worktrees`).map((entry) => `${commonDir}/worktrees/${entry.name}`)
  const isOn = (gitDir: string) => readText(`${gitDir}/HEAD`).trim() === `ref: refs/heads/${branch}`
  return [commonDir, ...linked].find((gitDir) => gitDir !== except && isOn(gitDir))
}

/** Never uses the worker's settings. */
export function gitIn(context: WorkspaceContext, found: FoundWorkspace): Git {
  if (!found.isLinked) return gitWithView(context.git, found)
  const places = { GIT_DIR: context.commonDir, ...(found.folder === "gone" ? {} : { GIT_WORK_TREE: found.path }) }
  return withVariables(context.source.in(found.folder === "gone" ? context.commonDir : found.path), places)
}
