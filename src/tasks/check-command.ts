import { splitCommand } from "../lib/text/split-command.ts"

export interface CheckLine {
  /** Without the shell that runs it. */
  readonly line: string
  /** No later command hides the exit code of the check. */
  readonly tellsOutcome: boolean
}

/** Undefined if the line is neither a check of the task nor a usual build, lint or test command. */
export function findCheck(given: string, own: readonly string[]): CheckLine | undefined {
  const line = withoutShell(given.trim())
  const { commands } = splitCommand(line)
  const isOwn = own.some((check) => check.trim() !== "" && line.includes(check.trim()))
  if (!isOwn && !commands.some(({ words }) => isUsual(words))) return undefined
  const isBehind = line.endsWith("&")
  return { line, tellsOutcome: !isBehind && commands.slice(1).every(({ joiner }) => joiner === "&&") }
}

/** Some agents write `npm test` as `bash -lc 'npm test'`. */
function withoutShell(line: string): string {
  const { commands } = splitCommand(line)
  const [shell = "", flag = "", inner] = commands[0]?.words ?? []
  const isAll = commands.length === 1 && commands[0]?.words.length === 3
  return isAll && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) ? (inner ?? line) : line
}

/** Words that only run another command. */
const BEFORE = [
  /^[A-Za-z_]\w*=\S*$/,
  /^(?:npx|bunx|time|env|exec|nice|sudo|command|sh|bash)$/,
  /^(?:pnpm|yarn|npm|bundle|poetry|uv) (?:exec|run|dlx)$/,
  /^bun (?:run|x)$/,
  /^timeout \S+$/,
  /^--?(?:no-install|yes|y|bun)$/,
]

const SCRIPTS = "test|tests|build|lint|check|typecheck|type-check|verify"
const USUAL = [
  new RegExp(`^(?:npm|pnpm|yarn|bun)(?: run)?(?: -\\S+)* (?:${SCRIPTS}|t)(?:[:.-]\\S+)?(?: |$)`),
  /^(?:vitest|jest|mocha|ava|playwright|cypress|eslint|oxlint|tsc|biome|prettier|pytest|ruff|mypy|pyright|flake8|tox|nox)(?: |$)/,
  /^(?:rspec|rubocop|phpunit|ctest|golangci-lint|clippy|shellcheck)(?: |$)/,
  /^cargo (?:test|build|check|clippy|nextest)(?: |$)/,
  /^go (?:test|build|vet)(?: |$)/,
  /^(?:deno|dotnet|swift|mix|rake|zig) (?:test|build|check|lint)(?: |$)/,
  /^(?:\S*\/)?(?:mvn|mvnw|gradle|gradlew)(?: |$)/,
  /^make(?: -\S+)* (?:test|check|lint|build|all)(?: |$)/,
  /^python[\d.]* -m (?:pytest|unittest|mypy|ruff)(?: |$)/,
  /^node --test(?: |$)/,
]

function isUsual(words: readonly string[]): boolean {
  let rest = words
  for (;;) {
    if (USUAL.some((pattern) => pattern.test(rest.join(" ")))) return true
    const taken = [1, 2].find((count) => BEFORE.some((pattern) => pattern.test(rest.slice(0, count).join(" "))))
    if (taken === undefined || rest.length <= taken) return false
    rest = rest.slice(taken)
  }
}
