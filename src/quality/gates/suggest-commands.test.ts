import { expect, it } from "bun:test"
import type { TreeFiles } from "./port.ts"
import { suggestCommands } from "./suggest-commands.ts"

function treeOf(files: Readonly<Record<string, string>>): TreeFiles {
  return {
    async list(folder) {
      const prefix = folder === "" ? "" : `${folder}/`
      const inside = Object.keys(files).filter((path) => path.startsWith(prefix))
      return [...new Set(inside.map((path) => path.slice(prefix.length).replace(/\/.*/, "/")))]
    },
    read: async (path) => files[path] ?? "",
  }
}

const GITHUB = `on: push
jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - run: npm ci
      - run: npm test
      - name: Check
        run: |
          make lint
          make test-all
      - run: npm publish
      - run: echo \${{ secrets.TOKEN }}
`

it("tells what CI services run, with where it stands, and leaves out what is no gate", async () => {
  const found = await suggestCommands(
    treeOf({
      ".github/workflows/ci.yml": GITHUB,
      ".gitlab-ci.yml": "test:\n  script:\n    - bundle exec rspec\n    - npm test\n    - ./deploy.sh deploy\n",
      ".circleci/config.yml": "jobs:\n  a:\n    steps:\n      - run:\n          command: go vet ./...\n",
      "azure-pipelines.yml": "steps:\n- script: dotnet build\n- bash: dotnet test\n",
    }),
  )
  expect(found.map(({ kind, line, file, lineNumber }) => `${kind}: ${line} ${file}:${lineNumber}`)).toEqual([
    "test: npm test .github/workflows/ci.yml:7",
    "lint: make lint .github/workflows/ci.yml:10",
    "test: make test-all .github/workflows/ci.yml:11",
    "test: bundle exec rspec .gitlab-ci.yml:3",
    "lint: go vet ./... .circleci/config.yml:5",
    "build: dotnet build azure-pipelines.yml:2",
    "test: dotnet test azure-pipelines.yml:3",
  ])
})

it("tells nothing of a broken file, or without any", async () => {
  expect(await suggestCommands(treeOf({ ".travis.yml": "script: [npm test" }))).toEqual([])
  expect(await suggestCommands(treeOf({}))).toEqual([])
})
