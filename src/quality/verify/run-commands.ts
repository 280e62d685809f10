import { detectCommands } from "../gates/detect-commands.ts"
import { type GateCommand, type GateKind, shellCommand } from "../gates/gate-command.ts"
import type { ChosenState } from "./choose-state.ts"
import type { Verifier } from "./verifier.ts"

/** From the configuration, else from the files of the tree. */
export async function listCommands(
  { repository, settings }: Verifier,
  { tree }: ChosenState,
  kinds: readonly GateKind[],
): Promise<GateCommand[]> {
  const isDetected = kinds.some((kind) => settings.kinds[kind].isEnabled && settings.kinds[kind].lines.length === 0)
  const detected = isDetected ? await detectCommands(repository.openTree(tree)) : []
  return kinds.flatMap((kind) => {
    const { isEnabled, lines } = settings.kinds[kind]
    if (!isEnabled) return []
    return lines.length > 0
      ? lines.map((line) => shellCommand(kind, line))
      : detected.filter((each) => each.kind === kind)
  })
}
