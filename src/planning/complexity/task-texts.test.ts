// What whole texts come to: the worked examples, each in several wordings, and a table of others.
import { describe, expect, it } from "bun:test"
import { classifyTask, type TaskDomain } from "./classify-task.ts"
import { analyzeComplexity, chooseTier } from "./complexity.ts"
import type { ModelTier } from "./model-tier.ts"

const judge = (text: string) => {
  const { tier, score } = analyzeComplexity(text)
  return { domain: classifyTask(text).domain, score, tier }
}

describe("the worked examples", () => {
  const examples = {
    jwt: "Implement JWT authentication for the API: login, logout and refresh endpoints, middleware that checks the token, and tests.",
    profile: "Build a responsive profile page with avatar, bio and edit form.",
    refactor: "Refactor the auth module and build a new login UI.",
  }

  it("JWT authentication is backend, 7, sonnet", () => {
    expect(judge(examples.jwt)).toEqual({ domain: "backend", score: 7, tier: "sonnet" })
  })

  it("a responsive profile page is frontend, 3, haiku", () => {
    expect(judge(examples.profile)).toEqual({ domain: "frontend", score: 3, tier: "haiku" })
  })

  it("an auth refactor plus login UI is ambiguous, 6, sonnet", () => {
    expect(judge(examples.refactor)).toEqual({ domain: "ambiguous", score: 6, tier: "sonnet" })
  })

  it.each([
    "Add JWT auth to the REST API. Write login, refresh and logout endpoints, a middleware that verifies tokens, and unit tests.",
    "Build JWT based authentication on the server: issue access and refresh tokens, hash passwords, protect the routes with middleware, and cover it with tests.",
    "Implement JWT authentication middleware with refresh tokens and unit tests",
    "JWT authentication for the backend:\n- login endpoint\n- refresh endpoint\n- logout endpoint\n- middleware\n- revocation list in Redis\n- tests",
    "We need JWT authentication in our API. Please add sign-in, token refresh and sign-out, and test each of them.",
  ])("JWT authentication stays about the same in other words: %j", (text) => {
    const { domain, score, tier } = judge(text)
    expect({ domain, tier, near: Math.abs(score - 7) <= 1 }).toEqual({ domain: "backend", tier: "sonnet", near: true })
  })

  it.each([
    "Create a responsive user profile page component in React with avatar, bio and edit form, styled with Tailwind.",
    "Make the profile page responsive: avatar, bio and settings must fit on a mobile screen.",
    "Create a responsive user profile page that shows the avatar, the name and recent activity.",
    "Responsive profile page with header, photo and a list of posts",
    "The profile page should be responsive. Show the picture, the name and a button to edit them.",
    "Design a responsive profile page:\n1. cover image\n2. avatar\n3. tabs for posts and likes",
  ])("a responsive profile page stays about the same in other words: %j", (text) => {
    const { domain, score, tier } = judge(text)
    expect({ domain, tier, near: Math.abs(score - 3) <= 1 }).toEqual({ domain: "frontend", tier: "haiku", near: true })
  })

  it.each([
    "Refactor the authentication middleware and rebuild the login page UI.",
    "The authorization code needs refactoring, and we need a new login UI.",
    "Restructure our OAuth handling, then create the login form.",
    "Auth refactoring plus login UI",
    "Rewrite the auth service with sessions and give the login screen a fresh coat of paint.",
  ])("an auth refactor plus login UI stays about the same in other words: %j", (text) => {
    const { domain, score, tier } = judge(text)
    expect({ domain, tier, near: Math.abs(score - 6) <= 1 }).toEqual({
      domain: "ambiguous",
      tier: "sonnet",
      near: true,
    })
  })
})

const LONG_PROSE = "The report is made once a week and somebody reads it on Monday before the meeting starts there. "

const TEXTS: readonly (readonly [text: string, domain: TaskDomain, tier: ModelTier, score?: number])[] = [
  // Small things.
  ["Fix a typo in README.md", "ambiguous", "haiku", 0],
  ["Update the copyright year", "ambiguous", "haiku", 0],
  ["Add a GET /health endpoint to the server", "backend", "haiku", 0],
  ["Add a button to the settings page", "frontend", "haiku", 0],
  ["Change the colour of the primary button", "frontend", "haiku", 0],
  ["Change the color palette and the fonts of the landing page", "frontend", "haiku", 0],
  ["Add dark mode", "frontend", "haiku", 0],
  ["Add a script that seeds the database", "backend", "haiku", 0],
  ["Add server-side validation", "backend", "haiku", 0],
  ["Add client-side validation to the form", "frontend", "haiku", 0],
  ["Write unit tests for the parser", "ambiguous", "haiku", 1],
  ["Refactor the date parsing function", "ambiguous", "haiku", 2],
  ["Clean up the logging module", "ambiguous", "haiku", 2],
  ["Clean up old log files", "ambiguous", "haiku", 0],
  // Words in another sense.
  ["The author of the article should be shown in bold", "ambiguous", "haiku", 0],
  ["Handle the rest of the cases", "ambiguous", "haiku", 0],
  ["Build a REST API for orders", "backend", "haiku", 0],
  ["Expose the orders as a rest endpoint", "backend", "haiku", 0],
  ["React to window resize events", "ambiguous", "haiku", 0],
  ["Write a React hook for debouncing", "frontend", "haiku", 0],
  ["Use media queries for the layout", "frontend", "haiku", 0],
  ["Design the database schema for invoices", "backend", "haiku", 0],
  ["Fix the code style warnings", "ambiguous", "haiku", 0],
  ["Update the description of the subscription", "ambiguous", "haiku", 0],
  ["Implement a lambda expression parser", "ambiguous", "haiku", 0],
  ["Write the README without tests", "ambiguous", "haiku", 0],
  ["Run an A/B test on the pricing page", "frontend", "haiku", 0],
  ["The cookie banner is ugly, that's why nobody reads it", "ambiguous", "haiku", 0],
  // Versions, addresses and slashes that are no files.
  ["Bump lodash from 4.17.20 to 4.17.21", "ambiguous", "haiku", 0],
  ["Update TypeScript to v5.4.2 and Node to 20.11", "ambiguous", "haiku", 0],
  ["See https://react.dev/learn/a.js and https://docs.docker.com/compose/b.yml", "ambiguous", "haiku", 0],
  ["Support and/or in filters, e.g. on 2024/05/01 with 1/2 of the rows", "ambiguous", "haiku", 0],
  ["Mail ops@example.com and dev@server.md when the disk is 3/4 full", "ambiguous", "haiku", 0],
  ["Speed up I/O for TCP/IP", "backend", "haiku", 0],
  ["Rename the field in Node.js and Vue.js samples", "ambiguous", "haiku", 2], // two domains
  // Several files.
  ["Rename getUser to findUser in src/users.ts and src/routes/users.ts", "ambiguous", "haiku", 2],
  ["Move the date functions from lib/dates.js to lib/time.js", "ambiguous", "haiku", 2],
  ["Migrate from JavaScript to TypeScript in 12 files", "ambiguous", "haiku", 2],
  ["Remove the flag and update all callers", "ambiguous", "haiku", 2],
  ["Replace moment with date-fns across the entire codebase", "ambiguous", "haiku", 3],
  ["Upgrade React in every package of the monorepo", "frontend", "haiku", 3],
  // Questions and hunts for bugs.
  ["Why does the checkout page render twice?", "frontend", "haiku", 2],
  ["Why is the nightly backup failing with exit code 137?", "backend", "sonnet", 4],
  ["Why does the worker crash?", "backend", "sonnet", 4],
  ["Debug why login fails intermittently in production", "ambiguous", "sonnet", 6],
  ["Investigate the memory leak in the websocket gateway", "backend", "haiku", 2],
  ["Fix the crash in src/queue.ts and src/worker.ts, and add a regression test", "backend", "sonnet", 5],
  ["How many rows does the table have?", "ambiguous", "haiku", 0],
  ["Where is the sidebar defined?", "frontend", "haiku", 0],
  [
    "Find the root cause of the deadlock between two database transactions. Why does it only occur in production?",
    "backend",
    "sonnet",
    6,
  ],
  // Risk, and no way back.
  ["Encrypt passwords at rest", "backend", "haiku", 2],
  ["Permanently delete all inactive accounts", "ambiguous", "haiku", 1],
  ["Drop the legacy orders table in the production database", "backend", "haiku", 3],
  ["Review the permissions of the admin API", "backend", "haiku", 2],
  // Architecture.
  ["Split the monolith into microservices", "backend", "sonnet", 6],
  ["Propose an architecture for multi-tenant billing and describe the trade-offs", "ambiguous", "sonnet", 5],
  [
    "Redesign the architecture of the whole system so that services talk through a message queue, and migrate authentication to OAuth.",
    "backend",
    "opus",
    8,
  ],
  [
    "Refactor the authentication of all services into one library: move the token code, the session code and the key rotation, and test it in src/auth.ts and src/keys.ts.",
    "backend",
    "opus",
  ],
  // Several parts.
  ["Make the sidebar collapsible, animate it and remember its state", "frontend", "haiku", 3],
  ["Set up a CI/CD pipeline that builds the Docker image, runs the tests and deploys to AWS", "backend", "sonnet", 4],
  [
    "Create a GraphQL schema and resolvers for products, a Redis cache, and a React page that lists them",
    "backend",
    "sonnet",
    5,
  ],
  ["Release checklist:\n- bump the version\n- tag\n- write notes", "ambiguous", "haiku", 3],
  ["To do:\n1. one\n2. two\n3. three\n4. four\n5. five\n6. six\n7. seven", "ambiguous", "sonnet", 4],
  ["- [ ] endpoint\n- [ ] migration\n- [x] schema", "backend", "haiku", 3],
  ["Add search. The old one was slow, ugly, broken and hated. People left.", "ambiguous", "haiku", 2],
  [
    "Build the dashboard page in React, the REST API behind it and the Terraform files to deploy both.",
    "backend",
    "sonnet",
    6,
  ],
  // Code is not read as an order.
  ["Make this shorter:\n```ts\nconst auth = refactor(architecture)\n```", "backend", "haiku", 1],
  ["Explain\n```\nnobody closed this, and, so, it, goes, on", "ambiguous", "haiku", 1],
  ["Two blocks\n```\na\n```\nand\n```\nb\n```", "ambiguous", "haiku", 1],
  ["Fix the links in README.md, CHANGELOG.md, docs/a.md and docs/b.md", "ambiguous", "haiku", 2],
  // Long texts.
  [LONG_PROSE.repeat(6), "ambiguous", "haiku", 1],
  [LONG_PROSE.repeat(15), "ambiguous", "haiku", 2],
  // Other languages and no language: nothing may break.
  ["Füge der Anmeldung eine Zwei-Faktor-Prüfung hinzu und schreibe dafür Tests", "ambiguous", "haiku", 1],
  ["Ändere die Farbe des Knopfes", "ambiguous", "haiku", 0],
  ["为后端实现JWT认证", "backend", "haiku", 2],
  ["修复登录页面的错误", "ambiguous", "haiku", 0],
  ["报告每周一次。".repeat(40), "ambiguous", "haiku", 1],
  ["Добавь кнопку на страницу профиля", "ambiguous", "haiku", 0],
  ["", "ambiguous", "haiku", 0],
  ["🎨🧪 …", "ambiguous", "haiku", 0],
  ["\u0000\ud800 [[[ ((( \\\\ ``` ```", "ambiguous", "haiku"],
]

describe("a table of task texts", () => {
  it("has more than sixty rows, none twice", () => {
    expect(TEXTS.length).toBeGreaterThan(60)
    expect(new Set(TEXTS.map(([text]) => text)).size).toBe(TEXTS.length)
  })

  it.each(TEXTS)("%j is %s, %s", (text, domain, tier, score = analyzeComplexity(text).score) => {
    expect({ text, ...judge(text) }).toEqual({ text, domain, tier, score })
  })
})

describe("endless texts", () => {
  it.each([
    ["a word", "a".repeat(200_000)],
    ["dots", ".".repeat(200_000)],
    ["letters and dots", "a.".repeat(100_000)],
    ["slashes", "a/".repeat(100_000)],
    ["ats", "a@".repeat(100_000)],
    ["blanks", " ".repeat(200_000)],
    ["lines", "\n".repeat(200_000)],
    ["commas", ",".repeat(200_000)],
    ["fences", "```".repeat(70_000)],
    ["plans", "plan ".repeat(40_000)],
    ["camels", "aB".repeat(100_000)],
    ["designs", "design the ".repeat(20_000)],
    ["fillers", `design ${"the ".repeat(50_000)}`],
    ["drops", "drop ".repeat(40_000)],
    ["please", "please ".repeat(30_000)],
  ])("are read in time: %s", (_, text) => {
    expect(judge(text).score).toBeGreaterThanOrEqual(0)
    expect(chooseTier({ text }).score).toBeGreaterThanOrEqual(0)
  })
})
