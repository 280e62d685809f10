import { parseRepositoryId, REPOSITORY_ID_FILE, type WorkPlace } from "../kernel/repository.ts"
import { basename, dirname } from "../lib/paths.ts"
import { machineName } from "../lib/process/machine-name.ts"
import type { Git } from "./git.ts"
import { readText } from "./read-refs.ts"

/** The repository of a folder, also of a worktree of it, in a way that tells it from others. */
export async function placeOf(git: Git): Promise<WorkPlace> {
  const { commonDir } = await git.places()
  return {
    machine: machineName(),
    folder: basename(commonDir) === ".git" ? dirname(commonDir) : commonDir,
    repository: parseRepositoryId(readText(`${commonDir}/${REPOSITORY_ID_FILE}`)) ?? null,
  }
}
