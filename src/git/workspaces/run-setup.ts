import { mkdirSync, writeFileSync } from "node:fs"
import type { SetupOutcome, SetupRecord } from "../../checkouts/port.ts"
import { setupFailed } from "../../checkouts/setup-failure.ts"
import { dirname } from "../../lib/paths.ts"
import { withoutGitPlaces } from "../../lib/process/without-git-places.ts"
import { copyFiles } from "./copy-files.ts"
import { type CheckoutPlace, gitWithView } from "./view.ts"
import type { WorkspaceContext } from "./workspace-context.ts"

/** Copies untracked files and runs the set-up, as for a worker's worktree. */
export async function prepareCheckout(context: WorkspaceContext, place: CheckoutPlace): Promise<void> {
  await copyFiles(context, gitWithView(context.git, place), place.path)
  await runSetup(context, { path: place.path, log: `${place.path}.setup.txt` })
}

interface SetupPlace {
  readonly path: string
  readonly log: string
  readonly earlier?: SetupRecord
}

const NOTHING = { record: undefined, log: null, notes: [], hasRun: false } as const

/** Runs `workspace.setup`, or installs what the files of the checkout require. */
export async function runSetup(
  context: WorkspaceContext,
  place: SetupPlace,
): Promise<Omit<SetupOutcome, "record"> & { readonly record: SetupRecord | undefined }> {
  const { settings, checkouts } = context
  await checkouts?.reservePorts(place.path)
  const mode = setupMode(settings.setup)
  if (mode === "command") return { ...NOTHING, log: await runCommandLine(context, place) }
  return mode === "off" ? NOTHING : ((await checkouts?.setUp({ ...place, folder: place.path })) ?? NOTHING)
}

export function setupMode(setup: string): "automatic" | "off" | "command" {
  if (setup.trim() === "") return "automatic"
  return setup.trim() === "none" || setup.trim() === "off" ? "off" : "command"
}

async function runCommandLine(
  { settings, processes, env, checkouts }: WorkspaceContext,
  { path, log }: SetupPlace,
): Promise<string> {
  const chunks: Uint8Array[] = []
  const result = await processes.run({
    command: ["sh", "-c", settings.setup],
    cwd: path,
    env: withoutGitPlaces(checkouts?.surround(env, path) ?? env),
    timeoutMs: settings.setupTimeoutSeconds * 1000,
    onOutput: (chunk) => chunks.push(chunk),
  })
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, Buffer.concat(chunks), { mode: 0o600 })
  if (result.reason === "exited" && result.exitCode === 0) return log
  throw setupFailed({ what: "workspace.setup", result, log, timeoutSeconds: settings.setupTimeoutSeconds })
}
