import { readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { startDetached } from "../../lib/process/start-detached.ts"
import { makeMask } from "../../lib/text/mask-secrets.ts"
import { type JobFolder, type JobRequest, LOG, makeJobFolder } from "./job-folder.ts"

export interface JobStart {
  readonly home: string
  readonly request: JobRequest
  /** Our own program, without the id of the job. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Returns when the job's own process has taken over. */
export async function startJob({ home, request, command, cwd, env }: JobStart): Promise<JobFolder> {
  const mask = makeMask(env)
  const folder = makeFolder(home, { ...request, prompt: mask(request.prompt) })
  const log = join(folder.path, LOG)
  const hasStarted = await startDetached({
    command: [...command, request.jobId],
    cwd,
    env,
    input: JSON.stringify(request),
    log,
  })
  if (hasStarted) return folder
  const output = mask(readFileSync(log, "utf8")).trim()
  rmSync(folder.path, { recursive: true, force: true })
  throw new AppError("job.failed", `the job could not be started: ${output}`)
}

function makeFolder(home: string, job: JobRequest): JobFolder {
  try {
    return makeJobFolder(home, job)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AppError("job.failed", `the job's folder cannot be made: ${why}`, {}, { cause: error })
  }
}

export function checkWorkspace(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new AppError(
      "input.invalid",
      (say) => `${say.field("workingDirectory")} ${quoteInput(folder)} is not a folder`,
    )
}
