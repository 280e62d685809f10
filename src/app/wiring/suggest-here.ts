import { AppError } from "../../kernel/errors.ts"
import { detectCommands } from "../../quality/gates/detect-commands.ts"
import { type SuggestedCommand, suggestCommands } from "../../quality/gates/suggest-commands.ts"
import type { Session } from "../command.ts"

/** CI commands for gates without a command; none outside of a repository. */
export async function suggestHere({
  configured,
  host,
}: Pick<Session, "configured" | "host">): Promise<SuggestedCommand[]> {
  try {
    const { repository, settings } = await (await configured()).gates(host.io.cwd)
    const head = await repository.find("HEAD")
    if (head === undefined) return []
    const tree = repository.openTree(head.tree)
    const known = new Set<string>((await detectCommands(tree)).map((each) => each.kind))
    return (await suggestCommands(tree)).filter(({ kind }) => {
      const { isEnabled, lines } = settings.kinds[kind]
      return isEnabled && lines.length === 0 && !known.has(kind)
    })
  } catch (error) {
    // Other checks of doctor report these errors.
    if (error instanceof AppError) return []
    throw error
  }
}
