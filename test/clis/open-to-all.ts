import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

interface Opened extends Disposable {
  readonly cache: string
  /** Where temp files go, and programs come from. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * A temp folder for the tests. Root runs CLIs as a user without rights as well, who has to reach that folder, the CLIs
 * and Node; what lies where only root gets to is copied.
 */
export function openToAll(cache: string): Opened {
  const isRoot = process.getuid?.() === 0
  const TMPDIR = mkdtempSync(join(!isRoot || isReachable(tmpdir()) ? tmpdir() : "/tmp", "teamwork-clis-"))
  chmodSync(TMPDIR, 0o711)
  const env = { TMPDIR, PATH: process.env.PATH ?? "" }
  const opened = { cache, env, [Symbol.dispose]: () => rmSync(TMPDIR, { recursive: true, force: true }) }
  if (!isRoot) return opened
  return { ...opened, cache: openCache(cache, TMPDIR), env: { ...env, PATH: openNode(env.PATH, TMPDIR) } }
}

function openCache(cache: string, folder: string): string {
  if (isReachable(cache)) return cache
  const copy = join(folder, "clis")
  const isCopied = [["--link"], []].some((flags) => {
    rmSync(copy, { recursive: true, force: true })
    return Bun.spawnSync(["cp", "--archive", ...flags, cache, copy]).success
  })
  if (!isCopied) throw new Error(`could not copy ${cache}, which only root can reach, to ${folder}`)
  return copy
}

function openNode(path: string, folder: string): string {
  const node = Bun.which("node")
  if (node === null || isReachable(dirname(realpathSync(node)))) return path
  const bin = join(folder, "bin")
  mkdirSync(bin)
  copyFileSync(realpathSync(node), join(bin, "node"))
  chmodSync(join(bin, "node"), 0o755)
  return `${bin}:${path}`
}

/** Everybody may pass through all of its folders. */
function isReachable(folder: string): boolean {
  if (!existsSync(folder)) return false
  const real = realpathSync(folder)
  const mayPass = (statSync(real).mode & 0o001) !== 0
  return mayPass && (real === "/" || isReachable(dirname(real)))
}
