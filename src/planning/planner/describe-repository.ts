import { detectCommands } from "../../quality/gates/detect-commands.ts"
import { GATE_KINDS } from "../../quality/gates/gate-command.ts"
import type { GateSetup } from "../../quality/verify/verifier.ts"
import type { RepositoryFacts } from "../views/planning-prompt.ts"

/** A planner can look for more itself. */
const MOST_FILES = 400
const MOST_FOLDERS = 80
const NOT_TOLD = /(?:^|\/)(?:node_modules|vendor|dist|build|target|\.git)\/$/

/** Committed files, upper folders first, and gate commands. */
export async function describeRepository({
  repository,
  settings,
}: Pick<GateSetup, "repository" | "settings">): Promise<RepositoryFacts> {
  const head = await repository.find("HEAD")
  if (head === undefined) return { files: [], isCut: false, commands: [] }
  const tree = repository.openTree(head.tree)
  const files: string[] = []
  const folders = [""]
  let looked = 0
  for (let folder = folders.shift(); folder !== undefined && looked < MOST_FOLDERS; folder = folders.shift()) {
    looked++
    for (const name of await tree.list(folder)) {
      const path = folder === "" ? name : `${folder}/${name}`
      if (!name.endsWith("/")) files.push(path)
      else if (NOT_TOLD.test(path)) files.push(path)
      else folders.push(path.slice(0, -1))
    }
  }
  const detected = await detectCommands(tree)
  const commands = GATE_KINDS.flatMap((kind) => {
    const { isEnabled, lines } = settings.kinds[kind]
    if (!isEnabled) return []
    const own = lines.length > 0 ? lines : detected.filter((each) => each.kind === kind).map((each) => each.line)
    return own.map((line) => `${kind}: ${line}`)
  })
  const told = [...files.slice(0, MOST_FILES), ...folders.map((folder) => `${folder}/`).slice(0, MOST_FOLDERS)]
  return { files: told, isCut: files.length > MOST_FILES || folders.length > 0, commands }
}

/** Whether a gate would find tests in the committed files. */
export async function hasTests({ repository, settings }: Pick<GateSetup, "repository" | "settings">): Promise<boolean> {
  const { isEnabled, lines } = settings.kinds.test
  if (!isEnabled || lines.length > 0) return isEnabled
  const head = await repository.find("HEAD")
  if (head === undefined) return false
  return (await detectCommands(repository.openTree(head.tree))).some(({ kind }) => kind === "test")
}
