// `npm run test:clis`: the real agent CLIs against a scripted model, see docs/agents.md. Installs the pinned versions
// into a cache folder where they are missing (TEAMWORK_CLI_CACHE names another), then runs test/clis without a network
// where that is permitted. Arguments go to `bun test`.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installFolder, PINNED, type Pinned } from "../test/clis/pinned.ts"

const ROOT = join(import.meta.dir, "..")
const INSTALL_TIMEOUT_MS = 10 * 60_000
const TESTS_TIMEOUT_MS = 20 * 60_000
/** A test that runs a slow CLI twice on a busy machine. */
const TEST_TIMEOUT_MS = 120_000

if (import.meta.main) process.exit(await main(Bun.argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  const cache = process.env.TEAMWORK_CLI_CACHE ?? join(ROOT, "node_modules/.cache/teamwork-clis")
  for (const pinned of PINNED) {
    if (findVersion(cache, pinned) !== pinned.version) await install(cache, pinned)
  }
  const exitCode = await runTests(cache, args)
  console.log(`ran ${PINNED.map((pinned) => `${pinned.name} ${findVersion(cache, pinned)}`).join(", ")}`)
  return exitCode
}

async function runTests(cache: string, args: readonly string[]): Promise<number> {
  const apart = setApart()
  console.log(apart.length === 0 ? "network: not cut off here, addresses are loopback only" : "network: loopback only")
  const flags = ["--max-concurrency=1", `--timeout=${TEST_TIMEOUT_MS}`]
  const TMPDIR = mkdtempSync(join(tmpdir(), "teamwork-clis-"))
  const child = Bun.spawn([...apart, process.execPath, "test", ...flags, ...args, "./test/clis"], {
    cwd: ROOT,
    // The cache under a name that test/support/preload.ts leaves alone.
    env: { ...process.env, TMPDIR, CLI_TEST_CACHE: cache },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: TESTS_TIMEOUT_MS,
    killSignal: "SIGKILL",
  })
  // Whoever is set apart dies as a whole; otherwise the tests get the chance to clean up.
  const stop = () => child.kill(apart.length === 0 ? "SIGTERM" : "SIGKILL")
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop)
  try {
    return await child.exited
  } finally {
    rmSync(TMPDIR, { recursive: true, force: true })
  }
}

function findVersion(cache: string, pinned: Pinned): string | undefined {
  const file = join(installFolder(cache, pinned), "node_modules", pinned.package, "package.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined
}

/** Into a folder beside, so that what was interrupted is not taken for installed. */
async function install(cache: string, pinned: Pinned): Promise<void> {
  const wanted = `${pinned.package}@${pinned.version}`
  console.log(`installing ${wanted}`)
  const folder = installFolder(cache, pinned)
  const building = `${folder}.${process.pid}`
  mkdirSync(building, { recursive: true })
  const flags = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"]
  const child = Bun.spawn(["npm", "install", "--prefix", building, ...flags, wanted], {
    cwd: building,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: INSTALL_TIMEOUT_MS,
  })
  if ((await child.exited) !== 0) {
    rmSync(building, { recursive: true, force: true })
    throw new Error(`could not install ${wanted}`)
  }
  rmSync(folder, { recursive: true, force: true })
  renameSync(building, folder)
}

/**
 * A command that runs another one with a network of its own, which has nothing but loopback, and with processes of its
 * own, none of which outlives it. Empty where that is not permitted.
 */
function setApart(): readonly string[] {
  const command = ["unshare", "--net", "--pid", "--mount-proc", "--kill-child"]
  const inside = ["sh", "-c", 'ip link set lo up && "$@"', "sh"]
  if (Bun.which("unshare") === null || Bun.which("ip") === null) return []
  return Bun.spawnSync([...command, ...inside, "true"]).success ? [...command, ...inside] : []
}
