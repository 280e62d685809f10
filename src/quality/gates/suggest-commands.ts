import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml"
import type { GateKind } from "./gate-command.ts"
import type { TreeFiles } from "./port.ts"

/** A command of a CI service. Only suggested, never run: it may publish, deploy or need the CI. */
export interface SuggestedCommand {
  readonly kind: GateKind
  readonly line: string
  readonly file: string
  readonly lineNumber: number
}

const FILES = [".gitlab-ci.yml", ".circleci/config.yml", "azure-pipelines.yml", "azure-pipelines.yaml", ".travis.yml"]
const WORKFLOWS = ".github/workflows"
/** The value is a command line or a list of them. */
const KEYS = new Set(["run", "script", "bash", "command"])
const MAX_LINE = 200

const KINDS: readonly (readonly [GateKind, RegExp])[] = [
  [
    "lint",
    /\b(?:lint|clippy|eslint|ruff|flake8|pylint|rubocop|vet|golangci-lint|phpstan|phpcs|biome|prettier|black|fmt)\b/,
  ],
  ["test", /\b(?:tests?|pytest|tox|nox|rspec|phpunit|jest|vitest|mocha|ctest|nextest|check)\b/],
  ["build", /\b(?:build|compile|tsc|mypy|pyright|typecheck|assemble|package)\b/],
]
/** Lines that set up a machine or publish. */
const NO_GATE =
  /\$\{\{|\b(?:install|publish|deploy|upload|push|login|docker|curl|wget|apt-get|brew|codecov|release|echo|export|setup|ci)\b(?!:)/

export async function suggestCommands(tree: TreeFiles): Promise<SuggestedCommand[]> {
  const workflows = (await tree.list(WORKFLOWS)).filter((name) => /\.ya?ml$/.test(name)).sort()
  const found: SuggestedCommand[] = []
  for (const file of [...workflows.map((name) => `${WORKFLOWS}/${name}`), ...FILES]) {
    const at = file.lastIndexOf("/")
    const folder = await tree.list(file.slice(0, Math.max(at, 0)))
    if (folder.includes(file.slice(at + 1))) found.push(...readPipeline(file, await tree.read(file)))
  }
  const lines = new Set<string>()
  return found.filter(({ line }) => !lines.has(line) && lines.add(line))
}

function readPipeline(file: string, text: string): SuggestedCommand[] {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter })
  if (document.errors.length > 0) return []
  const found: SuggestedCommand[] = []
  const add = (node: unknown) => {
    if (!isScalar(node) || typeof node.value !== "string") return
    const first = counter.linePos(node.range?.[0] ?? 0).line
    const isBlock = node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED"
    for (const [at, each] of node.value.split("\n").entries()) {
      const line = each.trim()
      const kind = line.length > MAX_LINE || NO_GATE.test(line) ? undefined : kindOf(line)
      if (kind !== undefined) found.push({ kind, line, file, lineNumber: first + at + (isBlock ? 1 : 0) })
    }
  }
  const walk = (node: unknown): void => {
    if (isSeq(node)) node.items.forEach(walk)
    if (!isMap(node)) return
    for (const { key, value } of node.items) {
      const isCommand = isScalar(key) && KEYS.has(String(key.value))
      if (isCommand && isSeq(value)) value.items.forEach(add)
      else if (isCommand && isScalar(value)) add(value)
      else walk(value)
    }
  }
  walk(document.contents)
  return found
}

function kindOf(line: string): GateKind | undefined {
  return /^[\w./]/.test(line) ? KINDS.find(([, words]) => words.test(line))?.[0] : undefined
}
