import { posix } from "node:path"
import type { FileDiff } from "./diff-lines.ts"

const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+\.py$|_test\.\w+$/

export function isTestFile(path: string): boolean {
  return TEST_FILE.test(path)
}

const BINARY_FILE =
  /\.(?:png|jpe?g|gif|webp|avif|ico|bmp|woff2?|ttf|otf|eot|pdf|zip|gz|tgz|xz|jar|mp[34]|wav|ogg|mov|webm|wasm|so|dylib|dll|exe|bin|dat|db|sqlite)$/i

/** Changes that few tasks need and a reader of the diff could miss. */
export function findSuspicious(files: readonly FileDiff[]): { errors: string[]; warnings: string[] } {
  const errors: string[] = []
  const warnings: string[] = []
  for (const file of files) {
    const { path, status, oldMode, newMode, isBinary } = file
    if (newMode === "120000" && leadsOutside(file))
      errors.push(`${path} is a link out of the tree, to ${targetOf(file)}`)
    if (newMode === "160000" && oldMode !== "160000") warnings.push(`${path} is another git repository`)
    // A single byte, or a git setting, hides the lines of a file.
    if (isBinary && status !== "deleted" && !BINARY_FILE.test(path))
      warnings.push(`${path} is binary: its lines were not looked at`)
    if (status === "deleted" && TEST_FILE.test(path)) warnings.push(`${path} is a test, and was deleted`)
    if (status === "modified" && oldMode !== newMode)
      warnings.push(`${path} changed its mode from ${oldMode} to ${newMode}`)
  }
  return { errors, warnings }
}

function targetOf({ hunks }: FileDiff): string {
  return hunks[0]?.added[0]?.text ?? ""
}

function leadsOutside(file: FileDiff): boolean {
  const target = targetOf(file)
  return posix.isAbsolute(target) || /^\.\.(?:\/|$)/.test(posix.join(posix.dirname(file.path), target))
}
