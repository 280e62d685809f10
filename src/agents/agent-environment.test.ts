import { expect, it } from "bun:test"
import fc from "fast-check"
import { buildEnvironment } from "./agent-environment.ts"

it("hands down what is common and what the program needs", () => {
  const env = {
    PATH: "/bin",
    HOME: "/home/ann",
    LC_ALL: "C",
    https_proxy: "http://proxy",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    GIT_AUTHOR_NAME: "Ann",
    TEAMWORK_WORKER_MARK_1f: "1",
    GIT_SSH_COMMAND: "x",
    GIT_CONFIG_GLOBAL: "x",
    ANTHROPIC_API_KEY: "a",
    OPENAI_API_KEY: "o",
    AWS_SECRET_ACCESS_KEY: "s",
    SSH_AUTH_SOCK: "/sock",
    PATHS: "x",
    LC: "x",
    LD_PRELOAD: "x",
    NOTHING: undefined,
  }
  const common = {
    PATH: "/bin",
    HOME: "/home/ann",
    LC_ALL: "C",
    https_proxy: "http://proxy",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    GIT_AUTHOR_NAME: "Ann",
    TEAMWORK_WORKER_MARK_1f: "1",
  }
  expect(buildEnvironment(env, [])).toEqual(common)
  expect(buildEnvironment(env, ["ANTHROPIC_API_KEY", "NOTHING"])).toEqual({ ...common, ANTHROPIC_API_KEY: "a" })
  expect(buildEnvironment(env, ["AWS_*"])).toEqual({ ...common, AWS_SECRET_ACCESS_KEY: "s" })
})

it("lets nothing through by being called like something that is allowed", () => {
  const allowed = ["PATH", "HOME", "USER", "LANG", "TERM", "TMPDIR", "ANTHROPIC_API_KEY"]
  const added = fc.string({ minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.constantFrom(...allowed), added, fc.boolean(), (name, more, isBehind) => {
      const similar = isBehind ? name + more : more + name
      fc.pre(similar !== "LANGUAGE")
      expect(buildEnvironment({ [similar]: "x" }, ["ANTHROPIC_API_KEY"])).toEqual({})
    }),
  )
})
