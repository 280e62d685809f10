import { describe, expect, it } from "bun:test"
import { detectCommands } from "./detect-commands.ts"
import type { TreeFiles } from "./port.ts"

type Files = Readonly<Record<string, string>>

function treeOf(files: Files): TreeFiles {
  return {
    async list(folder) {
      const prefix = folder === "" ? "" : `${folder}/`
      const inside = Object.keys(files).filter((path) => path.startsWith(prefix))
      return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*/, "/")))]
    },
    async read(path) {
      const text = files[path]
      if (text === undefined) throw new Error(`${path} does not exist`)
      return text
    },
  }
}

async function detect(files: Files): Promise<string[]> {
  const found = await detectCommands(treeOf(files))
  return found.map(
    ({ kind, command, folder }) => `${kind}: ${command.join(" ")}${folder === "" ? "" : ` in ${folder}`}`,
  )
}

const scripts = (...names: string[]) => ({ scripts: Object.fromEntries(names.map((name) => [name, `do ${name}`])) })
const manifest = (json: unknown) => ({ "package.json": JSON.stringify(json) })
const ALL = manifest(scripts("build", "test", "lint"))

describe("the files of a tree suggest", () => {
  const cases: [string, Files, string[]][] = [
    ["nothing", { "README.md": "" }, []],
    ["scripts, by npm without a lock file", ALL, ["build: npm run build", "test: npm run test", "lint: npm run lint"]],
    [
      "scripts, by npm",
      { ...ALL, "package-lock.json": "{}" },
      ["build: npm run build", "test: npm run test", "lint: npm run lint"],
    ],
    [
      "scripts, by pnpm",
      { ...ALL, "pnpm-lock.yaml": "" },
      ["build: pnpm run build", "test: pnpm run test", "lint: pnpm run lint"],
    ],
    [
      "scripts, by yarn",
      { ...ALL, "yarn.lock": "" },
      ["build: yarn run build", "test: yarn run test", "lint: yarn run lint"],
    ],
    [
      "scripts, by bun, whose own `bun test` would be something else",
      { ...ALL, "bun.lock": "" },
      ["build: bun run build", "test: bun run test", "lint: bun run lint"],
    ],
    [
      "scripts, by bun with its older lock file",
      { ...ALL, "bun.lockb": "" },
      ["build: bun run build", "test: bun run test", "lint: bun run lint"],
    ],
    [
      "the package manager that the manifest names, where no lock file does",
      manifest({ ...scripts("test"), packageManager: "pnpm@9.1.0" }),
      ["test: pnpm run test"],
    ],
    [
      "the lock file's manager rather than another that the manifest names",
      { ...manifest({ ...scripts("test"), packageManager: "pnpm@9.1.0" }), "yarn.lock": "" },
      ["test: yarn run test"],
    ],
    [
      "npm for a manager nobody knows",
      manifest({ ...scripts("test"), packageManager: "toString@1" }),
      ["test: npm run test"],
    ],
    [
      "types besides the build",
      { ...manifest(scripts("build", "typecheck")), "tsconfig.json": "" },
      ["build: npm run build", "build: npm run typecheck"],
    ],
    [
      "the compiler where no script does it",
      { ...manifest({ devDependencies: { typescript: "5" } }), "tsconfig.json": "", "pnpm-lock.yaml": "" },
      ["build: pnpm exec tsc --noEmit"],
    ],
    [
      "the compiler of npm, without downloading it",
      { ...manifest({ dependencies: { typescript: "5" } }), "tsconfig.json": "" },
      ["build: npx --no-install tsc --noEmit"],
    ],
    ["a compiler from elsewhere", { ...manifest({}), "tsconfig.json": "" }, ["build: tsc --noEmit"]],
    ["the compiler without a manifest", { "tsconfig.json": "" }, ["build: tsc --noEmit"]],
    [
      "eslint by its file",
      { ...manifest({ devDependencies: { eslint: "9" } }), "eslint.config.mjs": "", "yarn.lock": "" },
      ["lint: yarn run eslint ."],
    ],
    ["eslint by its older file", { ...manifest({}), ".eslintrc.json": "{}" }, ["lint: eslint ."]],
    [
      "eslint by the manifest",
      manifest({ eslintConfig: {}, devDependencies: { eslint: "9" } }),
      ["lint: npx --no-install eslint ."],
    ],
    [
      "no test where npm's own stand-in is",
      manifest({ scripts: { test: 'echo "Error: no test specified" && exit 1', lint: " " } }),
      [],
    ],
    [
      "nothing by a manifest that is none",
      { "package.json": "{", "Cargo.toml": "" },
      ["build: cargo build", "test: cargo test", "lint: cargo clippy"],
    ],
    ["nothing by odd scripts", manifest({ scripts: { test: 1, build: null } }), []],
    ["cargo", { "Cargo.toml": "" }, ["build: cargo build", "test: cargo test", "lint: cargo clippy"]],
    ["go", { "go.mod": "" }, ["build: go build ./...", "test: go test ./...", "lint: go vet ./..."]],
    ["pytest by its settings", { "pyproject.toml": "[tool.pytest.ini_options]" }, ["test: pytest"]],
    ["pytest by what is required", { "requirements-dev.txt": "pytest==8" }, ["test: pytest"]],
    ["pytest by its files", { "conftest.py": "" }, ["test: pytest"]],
    ["nothing by Python alone", { "setup.py": "", "requirements.txt": "flask" }, []],
    [
      "pytest and ruff through uv",
      { "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]", "uv.lock": "" },
      ["test: uv run pytest", "lint: uv run ruff check ."],
    ],
    ["ruff through poetry", { "ruff.toml": "", "poetry.lock": "" }, ["lint: poetry run ruff check ."]],
    ["maven", { "pom.xml": "" }, ["build: mvn --batch-mode -DskipTests package", "test: mvn --batch-mode test"]],
    [
      "maven's wrapper first",
      { "pom.xml": "", mvnw: "" },
      ["build: sh ./mvnw --batch-mode -DskipTests package", "test: sh ./mvnw --batch-mode test"],
    ],
    ["gradle", { "build.gradle": "" }, ["build: gradle assemble", "test: gradle test"]],
    [
      "gradle's wrapper first",
      { "build.gradle.kts": "", gradlew: "" },
      ["build: sh ./gradlew assemble", "test: sh ./gradlew test"],
    ],
    [
      "targets of make",
      { Makefile: ".PHONY: lint\nbuild: a.o\n\tcc\ntest check:\n\t./t\nlint ::\n" },
      ["build: make build", "test: make test", "lint: make lint"],
    ],
    ["other targets of make", { makefile: "all:\ncheck:" }, ["build: make all", "test: make check"]],
    ["nothing by a variable of make", { Makefile: "test := 1\nbuild ::= 2\n\techo lint:\n" }, []],
    [
      "several at once, and make only for what is missing",
      { ...manifest(scripts("test")), "go.mod": "", Makefile: "test:\nlint:\nbuild:\n" },
      ["test: npm run test", "build: go build ./...", "test: go test ./...", "lint: go vet ./..."],
    ],
    [
      "make for the gaps",
      { ...manifest(scripts("test")), Makefile: "test:\nlint:\n" },
      ["test: npm run test", "lint: make lint"],
    ],
    [
      "those one level down, where the top has none",
      {
        "web/package.json": JSON.stringify(scripts("test")),
        "web/yarn.lock": "",
        "api/go.mod": "",
        ".x/go.mod": "",
        "vendor/go.mod": "",
      },
      [
        "build: go build ./... in api",
        "test: go test ./... in api",
        "lint: go vet ./... in api",
        "test: yarn run test in web",
      ],
    ],
    [
      "only those at the top, where it has some",
      { ...manifest(scripts("test")), "api/go.mod": "" },
      ["test: npm run test"],
    ],
  ]
  it.each(cases)("%s", async (_, files, expected) => {
    expect(await detect(files)).toEqual(expected)
  })
})
