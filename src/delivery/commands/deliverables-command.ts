import type { Command, Session } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { type InputOf, optional, text } from "../../lib/fields.ts"
import { resolvePath } from "../../lib/paths.ts"
import { teamFields } from "../../store/operation.ts"
import { writeDeliverables } from "../archive/write-deliverables.ts"
import { readDeliverables } from "../operations/read-deliverables.ts"
import { renderDeliverables } from "../views/deliverables-view.ts"
import { sourceDirField } from "./swarm-merge.ts"

const input = {
  ...teamFields,
  to: optional(text("folder to put them into, each type of work in its form; a new one, or one of before")),
  sourceDir: sourceDirField,
}

export const deliverables: Command = {
  summary: "Show what a team delivers by type of work, or write it to a folder",
  fields: input,
  positional: ["to"],
  example: "teamwork deliverables --to ./handover",
  async run(session, raw) {
    const { to, sourceDir, ...name } = raw as InputOf<typeof input>
    const work = await readDeliverables(await session.context(), name)
    if (to === undefined) return { data: work, text: (screen) => renderDeliverables(work.deliverables, screen) }
    const folder = resolvePath(to, session.host.io.cwd)
    const written = await writeHere(session, { ...name, folder, sourceDir })
    return { data: { ...work, folder, written }, text: () => `Wrote ${written.length} files to ${folder}` }
  },
}

interface Place extends TeamName {
  readonly folder: string
  readonly sourceDir?: string
}

export async function writeHere(session: Session, { folder, sourceDir, ...name }: Place): Promise<string[]> {
  const work = await readDeliverables(await session.context(), name)
  const { gates } = await session.configured()
  const setup = await gates(resolvePath(sourceDir ?? ".", session.host.io.cwd)).catch(noRepository)
  return writeDeliverables(work, { folder, repository: setup?.repository })
}

/** Results can be handed over without the files. */
function noRepository(error: unknown): undefined {
  if (error instanceof AppError) return undefined
  throw error
}
