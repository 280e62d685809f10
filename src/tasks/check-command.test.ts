import { describe, expect, it } from "bun:test"
import { findCheck } from "./check-command.ts"

describe("a check is", () => {
  it.each([
    ...["npm test", "npm run test", "npm run build", "npm run test:unit -- x", "npm t", "pnpm run lint", "yarn test"],
    ...[
      "bun test",
      "bun run typecheck",
      "npx --no-install tsc --noEmit",
      "pnpm exec eslint .",
      "yarn run tsc --noEmit",
    ],
    ...[
      "bun run eslint .",
      "cargo build",
      "cargo test",
      "cargo clippy",
      "go build ./...",
      "go test ./...",
      "go vet ./...",
    ],
    ...[
      "pytest",
      "uv run pytest -q",
      "poetry run ruff check .",
      "mvn --batch-mode test",
      "sh ./mvnw --batch-mode test",
    ],
    ...["sh ./gradlew assemble", "gradle test", "make test", "make -j4 check", "tsc --noEmit", "python3 -m pytest -x"],
    ...[
      "cd web && npm test",
      "CI=1 npm test",
      "timeout 60 npm test",
      "npm test 2>&1 | tail -5",
      "npm ci && npm run build",
    ],
    ...["bash -lc 'npm test'", "/bin/bash -lc 'cd x && cargo test'"],
  ])("%s", (line) => expect(findCheck(line, [])).toBeDefined())

  it("one of the task's own, also as a part", () => {
    expect(findCheck("./verify.sh --all", ["./verify.sh"])).toEqual({ line: "./verify.sh --all", tellsOutcome: true })
    expect(findCheck("./verify.sh", [""])).toBeUndefined()
  })
})

it.each([
  ...[
    "",
    "ls",
    "git status",
    "npm install",
    "npm ci",
    "echo npm test",
    "cat test.ts",
    "grep -r test .",
    "npm run dev",
    "test -f x",
  ],
  ...["teamwork task list", "make deploy", "cargo run", "python3 setup.py", "git commit -m 'npm test'", "bun src/x.ts"],
])("%j is none", (line) => expect(findCheck(line, [])).toBeUndefined())

it("tells its outcome only where nothing can hide it", () => {
  expect(findCheck("cd x && npm test", [])?.tellsOutcome).toBe(true)
  for (const line of ["npm test | tail", "npm test; echo done", "npm test || true", "npm test &", "npm test\necho x"])
    expect([line, findCheck(line, [])?.tellsOutcome]).toEqual([line, false])
  expect(findCheck("bash -lc 'npm test | tail'", [])).toEqual({ line: "npm test | tail", tellsOutcome: false })
})
