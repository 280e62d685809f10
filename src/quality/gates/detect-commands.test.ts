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
      ["build: cargo build", "test: cargo test --no-fail-fast", "lint: cargo clippy"],
    ],
    ["nothing by odd scripts", manifest({ scripts: { test: 1, build: null } }), []],
    ["cargo", { "Cargo.toml": "" }, ["build: cargo build", "test: cargo test --no-fail-fast", "lint: cargo clippy"]],
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
      "stand-ins where the usual script is missing",
      manifest(scripts("test:unit", "lint:check", "check-types")),
      ["build: npm run check-types", "test: npm run test:unit", "lint: npm run lint:check"],
    ],
    [
      "the script that does it all, where nothing else is named",
      manifest(scripts("check", "ci")),
      ["test: npm run check"],
    ],
    ["no script that does it all beside a linter", manifest(scripts("check", "lint")), ["lint: npm run lint"]],
    [
      "vitest once where its script watches",
      manifest({ scripts: { test: "vitest --watch" }, devDependencies: { vitest: "3" } }),
      ["test: npx --no-install vitest run"],
    ],
    [
      "vitest alone, which watches only at a terminal",
      manifest({ scripts: { test: "vitest" } }),
      ["test: npm run test"],
    ],
    [
      "jest once where the script that it calls watches",
      manifest({ scripts: { test: "jest --watchAll", build: "tsc -w" }, devDependencies: { jest: "30" } }),
      ["test: npx --no-install jest"],
    ],
    [
      "no script that calls one that watches, or that serves",
      manifest({ scripts: { test: "npm run test:watch", "test:watch": "mocha --watch", build: "vite" } }),
      [],
    ],
    [
      "what ends by itself",
      manifest({ scripts: { test: "jest --watchAll=false", build: "vite build" } }),
      ["build: npm run build", "test: npm run test"],
    ],
    [
      "bun's own tests where no script has them",
      { ...manifest({}), "bun.lock": "", "src/shop.test.ts": "" },
      ["test: bun test"],
    ],
    [
      "biome",
      { ...manifest({ devDependencies: { "@biomejs/biome": "2" } }), "biome.json": "{}" },
      ["lint: npx --no-install biome check ."],
    ],
    [
      "deno by its files",
      { "deno.json": '{ "lint": {} }', "shop_test.ts": "" },
      ["test: deno test", "lint: deno lint"],
    ],
    [
      "deno's tasks",
      { "deno.jsonc": '{ // tasks\n "tasks": { "test": "deno test -A", "dev": "deno run --watch a.ts" } }' },
      ["test: deno task test"],
    ],
    ["F018: unittest", { "test_shop.py": "import unittest" }, ["test: python3 -m unittest"]],
    [
      "F018: unittest in a package of tests",
      { "setup.py": "", "tests/__init__.py": "", "tests/test_shop.py": "from unittest import TestCase" },
      ["test: python3 -m unittest"],
    ],
    [
      "F018: unittest in a folder that is no package, through uv",
      { "uv.lock": "", "pyproject.toml": "", "tests/test_shop.py": "import unittest" },
      ["test: uv run python -m unittest discover -s tests"],
    ],
    ["no unittest where pytest is named", { "conftest.py": "", "test_shop.py": "import unittest" }, ["test: pytest"]],
    ["no tests by a file that only sounds like one", { "test_data.py": "ROWS = []" }, []],
    ["no pytest by a plug-in of a linter", { "pyproject.toml": 'dev = ["flake8-pytest-style"]' }, []],
    ["tox", { "tox.ini": "[tox]\nenvlist = py3" }, ["test: tox"]],
    ["nox", { "noxfile.py": "@nox.session\ndef tests(session):" }, ["test: nox -s tests"]],
    ["django", { "manage.py": "" }, ["test: python3 manage.py test"]],
    ["mypy and flake8", { "mypy.ini": "[mypy]", "setup.cfg": "[flake8]" }, ["build: mypy .", "lint: flake8"]],
    ["mypy with files of its own", { "pyproject.toml": '[tool.mypy]\nfiles = ["src"]' }, ["build: mypy"]],
    ["dotnet", { "shop.sln": "", "shop.csproj": "" }, ["build: dotnet build shop.sln", "test: dotnet test shop.sln"]],
    [
      "rspec and rubocop",
      { Gemfile: 'gem "rspec"', "spec/a_spec.rb": "", ".rubocop.yml": "" },
      ["test: bundle exec rspec", "lint: bundle exec rubocop"],
    ],
    ["rake", { Rakefile: "require 'rake/testtask'\nRake::TestTask.new" }, ["test: rake test"]],
    ["rake's default", { Rakefile: "task default: %w[spec]" }, ["test: rake"]],
    [
      "composer's scripts",
      { "composer.json": JSON.stringify({ scripts: { test: "phpunit", lint: ["phpcs"] } }), "phpunit.xml": "" },
      ["test: composer run-script test", "lint: composer run-script lint"],
    ],
    ["phpunit", { "composer.json": "{}", "phpunit.xml.dist": "" }, ["test: vendor/bin/phpunit"]],
    [
      "recipes of just",
      { justfile: "alias t := test\n@test *args: build\n  cargo t\nbuild:\n  cc\nlint := 'x'\n" },
      ["build: just build", "test: just test"],
    ],
    [
      "tasks of task",
      {
        "Taskfile.yml": "version: '3'\nvars:\n  lint: x\ntasks:\n  test:\n    cmds:\n      - go test\n  build: make\n",
      },
      ["build: task build", "test: task test"],
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

describe("what a command needs and where it comes from", () => {
  const find = async (files: Files, kind: string) =>
    (await detectCommands(treeOf(files))).find((each) => each.kind === kind)

  it("tells the package manager and the first program of a script apart", async () => {
    const found = await find(
      manifest({ scripts: { pretest: "tsc", test: "NODE_ENV=test vitest run && size-limit" } }),
      "test",
    )
    expect(found).toMatchObject({ from: "package.json", script: "tsc\nNODE_ENV=test vitest run && size-limit" })
    expect(found?.needs.map(({ name }) => name)).toEqual(["npm", "vitest", "size-limit"])
    expect(found?.needs.map(({ folders }) => folders.includes("node_modules/.bin"))).toEqual([false, true, true])
  })

  it.each([
    [{ "pyproject.toml": "[tool.ruff]" }, "lint", ["ruff"]],
    [{ "pyproject.toml": "[tool.ruff]", "uv.lock": "" }, "lint", ["uv"]],
    [{ "Cargo.toml": "" }, "lint", ["cargo", "cargo-clippy"]],
    [{ "pom.xml": "", mvnw: "" }, "test", ["java"]],
    [{ "pom.xml": "" }, "test", ["mvn"]],
    [{ Makefile: "test:\n\t./t" }, "test", ["make"]],
  ] as [Files, string, string[]][])("%p: %s needs %p", async (files, kind, names) => {
    expect((await find(files, kind))?.needs.map(({ name }) => name)).toEqual(names)
  })

  it("carries the recipe of a target", async () => {
    expect(await find({ Makefile: "test: a.o\n\t./t\n\nlint:\n\tx\n" }, "test")).toMatchObject({
      script: "test: a.o\n\t./t\n",
    })
    expect(await find({ "web/Makefile": "test:\n\t./t" }, "test")).toMatchObject({ from: "web/Makefile" })
  })
})
