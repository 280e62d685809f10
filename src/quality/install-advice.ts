const SOURCES: Readonly<Record<string, string>> = {
  go: "install Go from https://go.dev/dl",
  cargo: "install Rust from https://rustup.rs",
  rustc: "install Rust from https://rustup.rs",
  clippy: "rustup component add clippy",
  "cargo-clippy": "rustup component add clippy",
  node: "install Node.js from https://nodejs.org",
  npm: "install Node.js from https://nodejs.org",
  pnpm: "npm install --global pnpm",
  yarn: "npm install --global yarn",
  bun: "install Bun from https://bun.sh",
  deno: "install Deno from https://deno.com",
  uv: "install uv from https://docs.astral.sh/uv",
  poetry: "pipx install poetry",
  mvn: "install Maven from https://maven.apache.org",
  gradle: "install Gradle from https://gradle.org",
  java: "install a JDK",
  dotnet: "install .NET from https://dotnet.microsoft.com",
  bundle: "gem install bundler",
  composer: "install Composer from https://getcomposer.org",
  make: "install make",
}

const PYTHON_TOOLS = "pytest ruff mypy tox nox flake8 black pylint unittest2".split(" ")
const OTHER_TOOLS = (
  "tsc eslint biome prettier jest vitest mocha ava npx pyright python python3 pip pdm pipenv ruby rake rspec rubocop " +
  "php phpunit just task cmake ninja docker golangci-lint staticcheck shellcheck git curl jq tsx ts-node playwright cypress"
).split(" ")
const NODE_RUNNERS = /^(npm|npx|pnpm|yarn|bun)\b/

/** Any other name may be a program that a task was asked to write. */
export function isKnownTool(program: string): boolean {
  return Object.hasOwn(SOURCES, program) || PYTHON_TOOLS.includes(program) || OTHER_TOOLS.includes(program)
}

export function adviseInstall(program: string, line: string): string {
  const known = Object.hasOwn(SOURCES, program) ? SOURCES[program] : undefined
  if (known !== undefined) return known
  if (PYTHON_TOOLS.includes(program)) return `pip install ${program}`
  const manager = NODE_RUNNERS.exec(line)?.[1]
  if (manager !== undefined) return `install the project's packages: ${manager === "npx" ? "npm" : manager} install`
  return `install ${program}`
}
