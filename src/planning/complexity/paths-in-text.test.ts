import { describe, expect, it } from "bun:test"
import { findPaths } from "./paths-in-text.ts"

describe("findPaths", () => {
  it.each([
    ["Change src/users.ts and test/users.test.ts.", ["src/users.ts", "test/users.test.ts"]],
    ["See `lib/dates.js:12`, (README.md) and ./run.sh!", ["lib/dates.js", "README.md", "run.sh"]],
    ["Everything in src/views/ or packages/core", ["src/views/", "packages/core"]],
    ["src/**/*.ts", ["src/**/*.ts"]],
    ["app/[id]/page.tsx", ["app/[id]/page.tsx"]],
    ["Copy ..\\config\\app.json to ~/settings", ["../config/app.json", "~/settings"]],
    ["The Dockerfile and the Makefile", ["Dockerfile", "Makefile"]],
    ["Put it into .env", [".env"]],
    ["src/a.ts, then src/a.ts again, and ./src/a.ts", ["src/a.ts"]],
    ["/etc/app/main.conf#L3", ["/etc/app/main.conf"]],
    ["docs/guide/intro", ["docs/guide/intro"]],
  ])("finds the files of %j", (text, paths) => {
    expect(findPaths(text)).toEqual(paths)
  })

  it.each([
    "1.2.3, v2.0, 4.17.21-beta.1 and ^5.0",
    "https://example.com/src/bin/main.ts, http://localhost:3000/a.js, www.example.com/x.css",
    "git+ssh://host/repo/file.go",
    "and/or, I/O, TCP/IP, CI/CD, UI/UX, read/write, client/server, he/she",
    "e.g. this, i.e. that, etc. and so on... or not.",
    "2024/05/01, 01/05/2024, 1.5.2024 and 12:30",
    "1/2, 3/4 and 99.9 %",
    "me@example.md, first.last@sub.example.io",
    "Node.js, Next.js, Vue.js or ASP.NET with socket.io",
    "React.js/Vue.js",
    "POST /api/users/1 returns application/json",
    "docs/tests",
    "@scope/name",
    "",
    "...",
    "/ . \\ // ..",
  ])("finds none in %j", (text) => {
    expect(findPaths(text)).toEqual([])
  })
})
