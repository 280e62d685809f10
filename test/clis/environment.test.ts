// The user's own environment: what works in a terminal works in a worker (F033), and what a project says to agents
// reaches them (F032), while nothing of it runs a program or widens a permission that nobody agreed to.
import { describe, expect, it } from "bun:test"
import { makeUser, type ProgramName } from "./user-world.ts"

const KEY = "user-key-0123456789abcdef"

/** Each with a provider, a key and nothing else in its own file, and no variable. */
const PROVIDERS: readonly (readonly [ProgramName, Readonly<Record<string, unknown>>, string])[] = [
  [
    "claude",
    { ".claude/settings.json": { env: { ANTHROPIC_BASE_URL: "{{URL}}", ANTHROPIC_API_KEY: KEY } } },
    "settings.json",
  ],
  [
    "codex",
    {
      ".codex/config.toml": [
        'model_provider = "mine"',
        'model = "gpt-5.5"',
        "[model_providers.mine]",
        'name = "Mine"',
        'base_url = "{{URL}}/v1"',
        'wire_api = "responses"',
        'env_key = "MINE_KEY"',
      ].join("\n"),
      ".codex/.env": `MINE_KEY="${KEY}"\n`,
    },
    "provider mine of ~/.codex/config.toml",
  ],
  [
    "gemini",
    {
      ".gemini/settings.json": { security: { auth: { selectedType: "gemini-api-key" } } },
      ".gemini/.env": `GEMINI_API_KEY=${KEY}\nGOOGLE_GEMINI_BASE_URL={{URL}}\n`,
    },
    "GEMINI_API_KEY at http://127.0.0.1",
  ],
  [
    "opencode",
    {
      ".config/opencode/opencode.json": {
        model: "mine/m1",
        provider: {
          mine: {
            ...{ npm: "@ai-sdk/openai-compatible", name: "Mine", models: { m1: { name: "M1", tool_call: true } } },
            options: { baseURL: "{{URL}}/v1", apiKey: "{file:./key.txt}" },
          },
        },
      },
      ".config/opencode/key.txt": KEY,
    },
    "provider mine of ~/.config/opencode/opencode.json",
  ],
]

describe.each(PROVIDERS)("F033: %s with a provider in the user's own file alone", (agent, home, reach) => {
  it("is reached, and agent list says how", async () => {
    await using user = makeUser({ home, scripts: { hello: [{ text: "hello from there" }] } })
    const listed = (await user.teamwork("agent", "list", "--json")).json<{ data: Record<string, unknown>[] }>().data
    const shown = JSON.stringify(listed)
    expect(shown).not.toContain(KEY)
    expect(listed.find(({ name }) => name === agent)).toMatchObject({
      ...{ is_available: true, is_logged_in: true, missing: null, reach: expect.stringContaining(reach) },
    })
    const done = await user.exec(agent, "[[hello]]")
    expect([done.reason, done.output]).toEqual(["done", expect.stringContaining("hello from there")])
    expect(user.model.asked.filter(({ body }) => body !== "").map(({ key }) => key)).toContain(
      agent === "gemini" || agent === "claude" ? KEY : `Bearer ${KEY}`,
    )
  })
})

describe("F033: Claude Code reaches its model", () => {
  const hello = { hello: [{ text: "hello from there" }] }

  it("by apiKeyHelper of the user's settings", async () => {
    const settings = { apiKeyHelper: `echo ${KEY}`, env: { ANTHROPIC_BASE_URL: "{{URL}}" } }
    await using user = makeUser({ home: { ".claude/settings.json": settings }, scripts: hello })
    expect(await user.exec("claude", "[[hello]]")).toMatchObject({ reason: "done" })
    expect(user.model.asked.map(({ key }) => key).join()).toContain(KEY)
  })

  it("by Amazon Bedrock, with credentials of the cloud only there", async () => {
    const bedrock = { CLAUDE_CODE_USE_BEDROCK: "1", CLAUDE_CODE_SKIP_BEDROCK_AUTH: "1", AWS_REGION: "eu-west-9" }
    const env = { ...bedrock, ANTHROPIC_BEDROCK_BASE_URL: "{{URL}}", CLAUDE_CODE_MAX_RETRIES: "0" }
    await using user = makeUser({ env })
    const { stdout } = await user.teamwork("agent", "list", "--format", "table")
    expect(stdout).toContain("Amazon Bedrock, region eu-west-9 at http://127.0.0.1")
    await user.exec("claude", "hello", "--timeout", "20")
    expect(user.model.asked.map(({ path }) => path).join()).toContain("/model/")
  })

  it("by Google Vertex AI", async () => {
    const vertex = { CLAUDE_CODE_USE_VERTEX: "1", CLAUDE_CODE_SKIP_VERTEX_AUTH: "1", CLOUD_ML_REGION: "us-east5" }
    const place = { ANTHROPIC_VERTEX_PROJECT_ID: "my-project", ANTHROPIC_VERTEX_BASE_URL: "{{URL}}" }
    await using user = makeUser({ env: { ...vertex, ...place, CLAUDE_CODE_MAX_RETRIES: "0" } })
    await user.exec("claude", "hello", "--timeout", "20")
    expect(user.model.asked.map(({ path }) => path).join()).toContain("my-project")
  })

  it("through the proxy that the terminal names", async () => {
    // The scripted model is the proxy too: it hears of a place that it does not know.
    const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: "http://model.invalid", HTTP_PROXY: "{{URL}}" }
    await using user = makeUser({ env: { ...env, CLAUDE_CODE_MAX_RETRIES: "0" }, scripts: hello })
    await user.exec("claude", "[[hello]]", "--timeout", "20")
    expect(user.model.asked.length).toBeGreaterThan(0)
  })

  it("by the account of a profile, and says what is missing in the other", async () => {
    const work = { env: { ANTHROPIC_BASE_URL: "{{URL}}", ANTHROPIC_API_KEY: KEY } }
    await using user = makeUser({ home: { "work/settings.json": work }, scripts: hello })
    await user.teamwork("config", "set", "agents.claude.profiles", "work=~/work")
    const { stdout } = await user.teamwork("agent", "list", "--format", "table")
    expect(stdout).toMatch(/claude@work +ANTHROPIC_API_KEY of ~\/work\/settings\.json at http/)
    expect(stdout).toMatch(/claude +not logged in; run claude auth login/)
    expect(await user.exec("claude@work", "[[hello]]")).toMatchObject({ agent: "claude@work", reason: "done" })
  })
})
