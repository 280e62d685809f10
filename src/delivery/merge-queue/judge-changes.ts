import { posix } from "node:path"
import type { Change } from "../../git/port.ts"
import type { Notice, NoticeCode } from "./candidate.ts"

export interface Judgement {
  /** Keep the branch out. */
  readonly problems: readonly Notice[]
  /** Are only shown. */
  readonly notices: readonly Notice[]
}

/** Finds changes that endanger the repository itself, whatever the files say. */
export function judgeChanges(changes: readonly Change[]): Judgement {
  const problems: Notice[] = []
  const notices: Notice[] = []
  for (const change of changes) {
    problems.push(...problemsOf(change))
    notices.push(...noticesOf(change))
  }
  return { problems, notices }
}

function* problemsOf({ path, oldMode, newMode, linksTo }: Change): Generator<Notice> {
  if (newMode === null) return
  if (path.split("/").some(isGitFolder)) yield notice("git_folder", `${show(path)} is part of git's own folder`)
  if (path.includes("\uFFFD")) yield notice("unreadable_path", `${show(path)} is not valid UTF-8`)
  if (linksTo !== undefined && leadsOutside(path, linksTo)) {
    yield notice("link_outside", `${show(path)} links to ${show(linksTo)}, outside of the repository`)
  }
  if (newMode === "160000" && oldMode !== "160000") {
    yield notice("submodule", `${show(path)} would become a submodule; a person adds those`)
  }
}

function* noticesOf({ path, oldPath, status, oldMode, newMode }: Change): Generator<Notice> {
  if (isTestFile(oldPath) && (status === "deleted" || (status === "renamed" && !isTestFile(path)))) {
    yield notice("deleted_tests", `${show(oldPath)} is a test and was ${status === "deleted" ? "deleted" : "renamed"}`)
  }
  if (newMode === "160000" && oldMode === "160000") {
    yield notice("submodule", `the submodule ${show(path)} was moved to another commit`)
  }
  if (oldMode !== null && newMode !== null && oldMode !== newMode) {
    yield notice("mode", `${show(path)} was ${MODES[oldMode]} and is now ${MODES[newMode]}`)
  }
  if (status === "added" && newMode === "100755") yield notice("mode", `${show(path)} is new and executable`)
  if (/(?:^|\/)\.git(?:modules|attributes)$/i.test(path)) {
    yield notice("attributes", `${show(path)} changes how git treats other files`)
  }
}

const MODES = {
  "100644": "a file",
  "100755": "executable",
  "120000": "a symbolic link",
  "160000": "a submodule",
} as const

const LARGE_BYTES = 5_000_000

/** Large files make every later clone and fetch slower. */
export function judgeSizes(changes: readonly Change[], sizes: ReadonlyMap<string, number>): Notice[] {
  return changes.flatMap(({ path, newId, newMode }) => {
    const bytes = newMode === "160000" ? 0 : (sizes.get(newId) ?? 0)
    return bytes < LARGE_BYTES ? [] : [notice("large_file", `${show(path)} has ${(bytes / 1e6).toFixed(1)} MB`)]
  })
}

/** Finds paths that collide on file systems that ignore case, at least one of them new. */
export function judgeCase(added: readonly string[], all: readonly string[]): Notice[] {
  const spellings = new Map<string, Set<string>>()
  for (const part of all.flatMap(prefixes)) {
    const known = spellings.get(fold(part))
    if (known === undefined) spellings.set(fold(part), new Set([part]))
    else known.add(part)
  }
  const parts = new Set(added.flatMap(prefixes).map(fold))
  return [...parts].flatMap((part) => {
    const [one, other] = [...(spellings.get(part) ?? [])]
    if (one === undefined || other === undefined) return []
    return [notice("case_collision", `${show(one)} and ${show(other)} differ in case only`)]
  })
}

/** A cheap test: false means that no added path can collide. */
export function mayCollide(added: readonly string[], folded: ReadonlyMap<string, string>): boolean {
  return added.some((path) =>
    prefixes(path).some((part) => {
      const known = folded.get(fold(part))
      return known !== undefined && known !== part
    }),
  )
}

/** All paths and their folders, by their case-folded form. */
export function foldPaths(paths: readonly string[], into = new Map<string, string>()): Map<string, string> {
  for (const path of paths) for (const part of prefixes(path)) into.set(fold(part), part)
  return into
}

function prefixes(path: string): string[] {
  const parts = path.split("/")
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"))
}

function fold(path: string): string {
  return path.normalize("NFC").toLowerCase()
}

/** Also in the spellings that some file systems treat as `.git`. */
function isGitFolder(name: string): boolean {
  const plain = name.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").replace(/[ .]+$/, "")
  return /^(?:\.git|git~\d+)$/i.test(plain.split(":")[0] ?? "")
}

function leadsOutside(path: string, target: string): boolean {
  if (posix.isAbsolute(target) || /^[A-Za-z]:|^\\/.test(target)) return true
  const real = posix.normalize(posix.join(posix.dirname(path), target))
  return real === ".." || real.startsWith("../") || real.split("/").some(isGitFolder)
}

export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:tests?|specs?|__tests__)\/|[._-](?:test|spec)s?\.[^/]+$|(?:^|\/)test_[^/]+\.py$|_test\.[^/]+$/i.test(
    path,
  )
}

function notice(code: NoticeCode, message: string): Notice {
  return { code, message }
}

function show(path: string): string {
  return /^[\w./@+-]+$/u.test(path) ? path : JSON.stringify(path)
}
