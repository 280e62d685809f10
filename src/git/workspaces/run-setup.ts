import { mkdirSync, writeFileSync } from "node:fs"
import type { SetupOutcome, SetupRecord } from "../../checkouts/port.ts"
import { setupFailed } from "../../checkouts/setup-failure.ts"
import { dirname } from "../../lib/paths.ts"
import { withoutGitPlaces } from "../../lib/process/without-git-places.ts"
import type { WorkspaceContext } from "./workspace-context.ts"

interface SetupPlace {
  /** The checkout. */
  readonly path: string
  /** Where to write what was printed. */
  readonly log: string
  /** What the attempt before left there. */
  readonly earlier?: SetupRecord
}

const NOTHING = { record: undefined, log: null, notes: [], hasRun: false } as const

/** Makes a checkout ready to work in: by `workspace.setup`, or without one by what its files ask for. */
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

/** Empty: what the files of the repository ask for. `none` and `off`: nothing. */
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
