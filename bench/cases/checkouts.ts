import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeCheckoutSetup } from "../../src/checkouts/effects/set-up-checkout.ts"
import { makeGit } from "../../src/git/git.ts"
import type { Workspaces } from "../../src/git/port.ts"
import { makeWorkspaces } from "../../src/git/workspaces/make-workspaces.ts"
import { openWorkspaceContext } from "../../src/git/workspaces/workspace-context.ts"
import { systemClock } from "../../src/lib/clock.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { sleep } from "../../src/lib/sleep.ts"
import type { BenchCase } from "../lib/bench-case.ts"
import { median, show, takeTurns } from "../lib/measure.ts"

const ROUNDS = 5
const PACKAGES = 600
/** Of each package: together 300 MB in 30,000 files, as a middling web project has them. */
const FILES_EACH = 50
const BYTES_EACH = 10_000

export const checkouts: BenchCase = {
  name: "checkouts",
  summary: "the second checkout of a repository with 300 MB of node_modules, against a plain copy of them",
  async run({ sandbox, say }) {
    const env = sandbox.env()
    const folder = seedProject(sandbox.folder("repository"), env)
    const copies = sandbox.folder("copies")
    const workspaces = await openWorkspaces(folder, sandbox.folder("home"), env)
    say("making the first checkout")
    await workspaces.create({ worker: "first" })
    say(`${ROUNDS} rounds of ${PACKAGES * FILES_EACH} files`)
    const times = await takeTurns(
      {
        plain: async () => {
          const ms = await timed(() => copyPlainly(join(folder, "node_modules"), join(copies, "node_modules"), env))
          rmSync(join(copies, "node_modules"), { recursive: true })
          return ms
        },
        ours: async () => {
          const ms = await timed(() => workspaces.create({ worker: "second" }))
          await workspaces.remove({ worker: "second" })
          return ms
        },
        moved: () => timed(() => workspaces.move({ worker: "first" })),
      },
      ROUNDS,
    )
    const [plain, ours, moved] = [median(times.plain), median(times.ours), median(times.moved)]
    const against = (ms: number) => `${show(ms)} ms against ${show(plain)} ms`
    return [
      { what: "300 MB, made", value: ours / plain, unit: "x", limit: { atMost: 1.3 }, figures: against(ours) },
      { what: "300 MB, moved to the next task", value: moved / plain, unit: "x", figures: against(moved) },
    ]
  },
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** What a person would type: blocks are shared where the file system can do that. */
async function copyPlainly(from: string, to: string, env: Record<string, string>): Promise<void> {
  const flags = process.platform === "darwin" ? ["-a", "-c"] : ["-a", "--reflink=auto"]
  const child = Bun.spawn(["cp", ...flags, from, to], { env, stdio: ["ignore", "ignore", "pipe"] })
  if ((await child.exited) !== 0) throw new Error(await child.stderr.text())
}

function seedProject(folder: string, env: Record<string, string>): string {
  const names = Array.from({ length: PACKAGES }, (_, index) => `package-${index}`)
  const dependencies = Object.fromEntries(names.map((name) => [name, "1.0.0"]))
  const packages = Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: "1.0.0" }]))
  const lock = { lockfileVersion: 3, packages: { "": { dependencies }, ...packages } }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies }))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
  writeFileSync(join(folder, ".gitignore"), "node_modules\n")
  const text = "x".repeat(BYTES_EACH)
  for (const name of names) {
    const inside = join(folder, "node_modules", name)
    mkdirSync(join(inside, "lib"), { recursive: true })
    writeFileSync(join(inside, "package.json"), JSON.stringify({ name, version: "1.0.0" }))
    for (let index = 1; index < FILES_EACH; index++) writeFileSync(join(inside, "lib", `${index}.js`), text)
  }
  writeFileSync(join(folder, "node_modules/.package-lock.json"), JSON.stringify({ packages }))
  const steps = [
    ["init", "--quiet", "--initial-branch=main"],
    ["config", "user.name", "Bench"],
    ["config", "user.email", "bench@example.com"],
    ["add", "--all"],
    ["commit", "--quiet", "-m", "Start"],
  ]
  for (const step of steps) {
    const { success, stderr } = Bun.spawnSync(["git", ...step], { cwd: folder, env })
    if (!success) throw new Error(`git ${step.join(" ")}: ${stderr}`)
  }
  return folder
}

async function openWorkspaces(folder: string, home: string, env: Record<string, string>): Promise<Workspaces> {
  const ports = { processes: systemProcesses, clock: systemClock, sleep, env }
  const context = await openWorkspaceContext({
    ...{ ...ports, home },
    source: makeGit(folder, { capture, env, sleep }),
    team: { project: "bench", team: "main", run: 1 },
    settings: { setup: "", setupTimeoutSeconds: 600, copy: [], keep: [], remotes: [] },
    makeCheckouts: (userRoots) =>
      makeCheckoutSetup({ ...ports, home, userRoots, timeoutSeconds: 600, portBase: 43_000 }),
  })
  return makeWorkspaces(context)
}
