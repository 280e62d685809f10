import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TEST_BASE_MARKER, TEST_BASE_PREFIX } from "../../test/support/sandbox.ts"

export interface Sandbox extends Disposable {
  /** A fresh folder, gone at the end. */
  folder(name: string): string
  /** The whole environment of a child process: nothing of the person's who measures but these few. */
  env(extra?: Record<string, string>): Record<string, string>
}

/** What a child may know of the world. Anything else may cost one side time: NODE_EXTRA_CA_CERTS makes node start 2.5x slower. */
const HANDED_DOWN = ["PATH", "LANG", "TERM"] as const

/** Home, temp folder and environment of the run. The helpers of the tests, PostgreSQL among them, work in it too. */
export function openSandbox(): Sandbox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), TEST_BASE_PREFIX)))
  chmodSync(base, 0o711) // the PostgreSQL server may run as another user, who must be able to pass through
  writeFileSync(join(base, TEST_BASE_MARKER), "")
  const own = { HOME: join(base, "home"), TMPDIR: join(base, "tmp"), TEAMWORK_TEST_BASE_DIR: base }
  for (const folder of [own.HOME, own.TMPDIR]) mkdirSync(folder)
  // The repositories are our own.
  const env = { ...handedDown(), HOME: own.HOME, TMPDIR: own.TMPDIR, TEAMWORK_TRUST: "all" }
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env, own)
  const undertaker = removeOnceWeAreGone(base)
  return {
    folder: (name) => mkdtempSync(join(own.TMPDIR, `${name}-`)),
    env: (extra = {}) => ({ ...env, ...extra }),
    [Symbol.dispose]() {
      rmSync(base, { recursive: true, force: true })
      undertaker.stdin.end()
    },
  }
}

function handedDown(): Record<string, string> {
  return Object.fromEntries(HANDED_DOWN.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** Waits for the end of our pipe, so that an interrupted or killed run leaves nothing either. */
function removeOnceWeAreGone(base: string) {
  const script = `cat; i=0; while [ -e "$1" ] && [ $i -lt 100 ]; do rm -rf -- "$1" || sleep 0.1; i=$((i+1)); done`
  const child = Bun.spawn(["sh", "-c", script, "sh", base], {
    cwd: "/",
    env: handedDown(),
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  })
  child.unref()
  return child
}
