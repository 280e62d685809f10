import { AppError } from "../../kernel/errors.ts"
import { detectCommands } from "../../quality/gates/detect-commands.ts"
import { type SuggestedCommand, suggestCommands } from "../../quality/gates/suggest-commands.ts"
import type { Session } from "../command.ts"

/** What CI runs for a kind of gate that has no command here. Nothing where there is no repository. */
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
    // Doctor tells by itself what is wrong with the place and the settings.
    if (error instanceof AppError) return []
    throw error
  }
}
