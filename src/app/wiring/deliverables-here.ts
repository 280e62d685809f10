import { writeDeliverables } from "../../delivery/archive/write-deliverables.ts"
import { readDeliverables } from "../../delivery/operations/read-deliverables.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { resolvePath } from "../../lib/paths.ts"
import type { Session } from "../command.ts"

interface Place extends TeamName {
  readonly folder: string
  readonly sourceDir?: string
}

export async function writeDeliverablesHere(
  session: Session,
  { folder, sourceDir, ...name }: Place,
): Promise<string[]> {
  const work = await readDeliverables(await session.context(), name)
  const { gates } = await session.configured()
  const setup = await gates(resolvePath(sourceDir ?? ".", session.host.io.cwd)).catch(noRepository)
  return writeDeliverables(work, { folder, repository: setup?.repository })
}

/** Without a repository, deliver results without files. */
function noRepository(error: unknown): undefined {
  if (error instanceof AppError) return undefined
  throw error
}
