import { detectCommands } from "../../quality/gates/detect-commands.ts"
import type { GateSetup } from "../../quality/verify/verifier.ts"

/** Whether a gate would find tests in the committed files. */
export async function hasTests({ repository, settings }: Pick<GateSetup, "repository" | "settings">): Promise<boolean> {
  const { isEnabled, lines } = settings.kinds.test
  if (!isEnabled || lines.length > 0) return isEnabled
  const head = await repository.find("HEAD")
  if (head === undefined) return false
  return (await detectCommands(repository.openTree(head.tree))).some(({ kind }) => kind === "test")
}
