import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { workerRefs } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import { dirname } from "../../lib/paths.ts"
import { readBytes, readText } from "../../lib/read-files.ts"
import { copyIndex } from "../copy-index.ts"
import { type Git, withVariables } from "../git.ts"
import { readRefs } from "../read-refs.ts"
import { settingsText } from "./repository-settings.ts"
import type { CheckoutPlace } from "./view.ts"
import type { WorkspaceContext } from "./workspace-context.ts"

interface StartPoint {
  /** Null for a detached HEAD. */
  readonly branch: string | null
  readonly commit: string
  /** More lines for `info/exclude`. */
  readonly excludes?: readonly string[]
}

export interface RepositorySource extends Pick<WorkspaceContext, "git" | "commonDir"> {
  /** Its integration branch is copied too. */
  readonly team: WorkspaceContext["team"] | null
  readonly settings: Pick<WorkspaceContext["settings"], "remotes">
}

export async function sourceOf(git: Git): Promise<RepositorySource> {
  const { commonDir } = await git.places()
  const own = withVariables(git.in(commonDir), { GIT_DIR: commonDir })
  return { git: own, commonDir, team: null, settings: { remotes: [] } }
}

/**
 * Gives a checkout its own settings, hooks, branches and stash, with the objects of the user's repository and
 * copies of its branches and tags. Replaces an existing git folder as a whole, so that no setting of a worker
 * stays. Does not write the index.
 */
export async function makeRepository(
  source: RepositorySource,
  place: CheckoutPlace,
  { branch, commit, excludes = [] }: StartPoint,
): Promise<void> {
  const { commonDir, git, settings } = source
  const folder = `${place.gitDir}.new`
  rmSync(folder, { recursive: true, force: true })
  const write = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(`${folder}/${name}`), { recursive: true })
    writeFileSync(`${folder}/${name}`, content)
  }
  write("HEAD", branch === null ? `${commit}\n` : `ref: refs/heads/${branch}\n`)
  write("config", await settingsText({ git, commonDir, remotes: settings.remotes }))
  write("objects/info/alternates", `${commonDir}/objects\n`)
  mkdirSync(`${folder}/refs/heads`, { recursive: true })
  if (branch !== null) write(`refs/heads/${branch}`, `${commit}\n`)
  const refs = await copiedRefs(source, branch)
  write(PACKED_REFS, refs)
  writeFileSync(`${place.view}/${GIVEN_REFS}`, hashOf(refs))
  write("info/exclude", [readText(`${commonDir}/info/exclude`), ...excludes].join("\n"))
  for (const name of ["shallow", "info/attributes", "info/sparse-checkout"]) {
    const content = readBytes(`${commonDir}/${name}`)
    if (content !== undefined) write(name, content)
  }
  rmSync(place.gitDir, { recursive: true, force: true })
  renameSync(folder, place.gitDir)
}

const PACKED_REFS = "packed-refs"
const GIVEN_REFS = "teamwork-given-refs"

/** Empty unless the worker changed them. */
export function ownPackedRefs({ gitDir, view }: CheckoutPlace): string {
  const refs = readText(`${gitDir}/${PACKED_REFS}`)
  return hashOf(refs) === readText(`${view}/${GIVEN_REFS}`) ? "" : refs
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha1").update(text).digest("hex")
}

/** For `git diff main`, `git describe` and so on. */
async function copiedRefs({ git, commonDir, team }: RepositorySource, own: string | null): Promise<string> {
  const found = await Promise.all(
    ["refs/heads/", "refs/remotes/", "refs/tags/"].map((prefix) => readRefs(git, commonDir, prefix)),
  )
  const integration = team === null ? undefined : `${workerRefs(team)}/integration`
  const lines = found
    .flatMap((refs) => [...refs])
    .filter(([ref]) => ref === integration || !ref.startsWith("refs/heads/teamwork/"))
    .filter(([ref]) => ref !== `refs/heads/${own}`)
    .sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .map(([ref, commit]) => `${commit} ${ref}\n`)
  return `# pack-refs with: sorted \n${lines.join("")}`
}

interface RepositoryUpdate {
  readonly branch: string
  readonly commit: string
  /** Default: that of our view. */
  readonly index?: string
}

/**
 * Updates branch, HEAD and index of the worker's repository after we changed the files. Throws `workspace.unproven`
 * if a folder was replaced, because a link may lead anywhere.
 */
export function updateRepository(place: CheckoutPlace, { branch, commit, index }: RepositoryUpdate): void {
  const { gitDir } = place
  const ref = `refs/heads/${branch}`
  const names = dirname(ref).split("/")
  for (let count = 0; count <= names.length; count++) ensureFolder([gitDir, ...names.slice(0, count)].join("/"))
  replace(`${gitDir}/${ref}`, (file) => writeFileSync(file, `${commit}\n`, { flag: "wx" }))
  replace(`${gitDir}/HEAD`, (file) => writeFileSync(file, `ref: ${ref}\n`, { flag: "wx" }))
  shareIndex(place, index)
}

function ensureFolder(folder: string): void {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (stat === undefined) mkdirSync(folder)
  else if (!stat.isDirectory())
    throw new AppError("workspace.unproven", `${folder} is not a folder; a worker replaced it`, {
      folder,
      reason: "path",
    })
}

export function shareIndex({ gitDir, view }: CheckoutPlace, index = `${view}/index`): void {
  replace(`${gitDir}/index`, (file) => copyIndex(index, file))
}

/** Replaces a link instead of following it. */
function replace(file: string, write: (file: string) => void): void {
  const draft = `${file}.teamwork-new`
  rmSync(draft, { recursive: true, force: true })
  write(draft)
  renameSync(draft, file)
}

/** Lets git also read objects of a worker's repository, and nothing else of it. */
export function withObjectsOf(gitDir: string): Record<string, string> {
  const folder = `${gitDir}/objects`
  const quoted = /[":\\]/.test(folder) ? JSON.stringify(folder) : folder
  return { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted }
}
