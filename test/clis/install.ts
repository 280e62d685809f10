import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { installFolder, type Pinned } from "./pinned.ts"

const INSTALL_TIMEOUT_MS = 10 * 60_000
/** Hundreds of megabytes, of which a line may well lose some once. */
const ATTEMPTS = 2

export function installedVersion(cache: string, pinned: Pinned): string | undefined {
  const file = join(installFolder(cache, pinned), "node_modules", pinned.package, "package.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined
}

/** Does nothing when the version is there. */
export async function installCli(cache: string, pinned: Pinned): Promise<void> {
  const wanted = `${pinned.package}@${pinned.version}`
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (installedVersion(cache, pinned) === pinned.version) return
    console.log(attempt === 1 ? `installing ${wanted}` : `installing ${wanted} once more`)
    await install(installFolder(cache, pinned), pinned, wanted)
  }
  if (installedVersion(cache, pinned) === pinned.version) return
  throw new Error(`could not install ${wanted} into ${cache}: see above what npm said; the tests need all of the CLIs`)
}

/** Their install scripts start them, and they would settle in the home of whoever tests; npm's settings are still there. */
function withOtherHome(folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true })
  const home = process.env.HOME ?? folder
  return { HOME: folder, npm_config_userconfig: join(home, ".npmrc"), npm_config_cache: join(home, ".npm") }
}

/** Into a folder beside, so that what was interrupted is not taken for installed. */
async function install(folder: string, { bridgeTo }: Pinned, wanted: string): Promise<void> {
  const building = `${folder}.${process.pid}`
  mkdirSync(building, { recursive: true })
  const flags = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"]
  // The CLI that a bridge would bring along is optional for it, and we have it already.
  if (bridgeTo !== undefined) flags.push("--omit=optional")
  const child = Bun.spawn(["npm", "install", "--prefix", building, ...flags, wanted], {
    cwd: building,
    env: { ...process.env, ...withOtherHome(`${building}/.home`) },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: INSTALL_TIMEOUT_MS,
  })
  if ((await child.exited) === 0) {
    rmSync(`${building}/.home`, { recursive: true, force: true })
    // Whatever mask we have: root's tests start them as another user, too.
    Bun.spawnSync(["chmod", "-R", "a+rX", building])
    rmSync(folder, { recursive: true, force: true })
    renameSync(building, folder)
  }
  rmSync(building, { recursive: true, force: true })
}
