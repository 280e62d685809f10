import { describe, expect, it, test } from "bun:test"
import fc from "fast-check"
import { isSecretName, makeMask, maskSecrets } from "./mask-secrets.ts"

const block = (end: string, middle = "\n") =>
  `-----BEGIN OPENSSH PRIVATE KEY-----${middle}b3BlbnNzaC1rZXktdjEA+/AB${middle}QyNTUxOQ==${end}`
const END = "-----END OPENSSH PRIVATE KEY-----"
// Put together here, so that no scanner takes this file for a leak.
const key = (...parts: string[]) => parts.join("")

describe("masks the format of", () => {
  test.each([
    [key("sk-", "ant-api03-", "a1B2c3D4e5F6g7H8")],
    [key("sk-", "proj-", "a1B2c3D4e5F6g7H8_x-y")],
    [key("sk_", "live_", "a1B2c3D4e5F6g7H8")],
    [key("rk_", "test_", "a1B2c3D4e5F6g7H8")],
    [key("ghp_", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8abcd")],
    [key("gho_", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8abcd")],
    [key("github_", "pat_", "11ABCDEFG0a1B2c3D4e5F6_x")],
    [key("glpat-", "a1B2c3D4e5F6g7H8i9J0")],
    [key("npm_", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8abcd")],
    [key("hf_", "a1B2c3D4e5F6g7H8a1B2c3D4")],
    [key("AKIA", "ABCDEFGHIJKLMNOP")],
    [key("ASIA", "ABCDEFGHIJKLMNOP")],
    [key("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q")],
    [key("ya29.", "a1B2c3D4e5F6g7H8i9J0k")],
    [key("xapp-", "1-A0123-abcdefABCDEF")],
    [key("xoxb-", "123456789012-abcdefABCDEF")],
    [key("eyJ", "hbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.", "c2lnbmF0dXJl")],
    [block(`\n${END}`)],
    [block(`\\n${END}`, "\\n")],
    [block("")],
  ])("%#: %s", (secret) => {
    expect(maskSecrets(secret)).toBe("***")
    expect(maskSecrets(`say "${secret}" twice: ${secret}`)).toBe('say "***" twice: ***')
  })

  test.each([
    ["postgres://ann:s3cret@db.example/x", "postgres://ann:***@db.example/x"],
    ["postgres://ann:p@ss:w/ord@db/x", "postgres://ann:***@db/x"],
    ["postgres://:only@db/x", "postgres://:***@db/x"],
    ["postgres://db/x?user=ann&password=s3cret&ssl=1", "postgres://db/x?user=ann&password=***&ssl=1"],
    ["GET /x?key=s3cret", "GET /x?key=***"],
    ["/x?a=1&access_token=s3cret&api_key=other", "/x?a=1&access_token=***&api_key=***"],
    ["http://:s3cret@h and then http://h:80/", "http://:***@h and then http://h:80/"],
    ["clone https://ann:s3cret@git.example/x.git now", "clone https://ann:***@git.example/x.git now"],
    ["Authorization: Bearer abcdef123456", "Authorization: Bearer ***"],
    ['"authorization":"Basic YW5uOnMzY3JldA=="', '"authorization":"Basic ***"'],
  ])("%s", (text, shown) => {
    expect(maskSecrets(text)).toBe(shown)
  })

  test.each([
    ["postgres://ann@db:5432/x"],
    ["postgres://db:5432/x"],
    ["sqlite:/a/b.db"],
    ["http://127.0.0.1:3000/node_modules/@scope/name"],
    ["sk-short and task-1234567890abcdefgh and the risk-of-something-long"],
    ["mail ann@example.com about eyJ.x.y and AKIA"],
    ["a token is 12 tokens; the key question is whether the password is asked for"],
    ["-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"],
  ])("but leaves %s", (text) => {
    expect(maskSecrets(text)).toBe(text)
  })
})

describe("masks the values of variables", () => {
  it("that are named like secrets, as they are, in JSON and in an address", () => {
    const mask = makeMask({ MY_TOKEN: 'a"b\\c d/e', HOME: "/home/ann", DB_PASSWORD: "hunter2", EMPTY_KEY: "" })
    expect(mask('a"b\\c d/e at /home/ann')).toBe("*** at /home/ann")
    expect(mask(JSON.stringify({ x: 'a"b\\c d/e' }))).toBe('{"x":"***"}')
    expect(mask("?q=a%22b%5Cc%20d%2Fe hunter2")).toBe("?q=*** ***")
  })

  it("with the longer one first when one begins with the other", () => {
    expect(makeMask({ A_KEY: "secret", B_KEY: "secret-longer" })("secret-longer secret")).toBe("*** ***")
  })

  it("but not short ones, which are words that appear everywhere", () => {
    expect(makeMask({ A_KEY: "yes", B_TOKEN: "12345" })("yes, 12345")).toBe("yes, 12345")
  })

  test.each([
    "ANTHROPIC_API_KEY",
    "GH_TOKEN",
    "token",
    "AWS_SECRET_ACCESS_KEY",
    "PGPASSWORD",
    "DB_PASSWD",
    "APIKEY",
    "SENTRY_DSN",
  ])("%s is a secret", (name) => {
    expect(isSecretName(name)).toBe(true)
  })

  test.each([
    "PATH",
    "HOME",
    "KEYBOARD",
    "SSH_AUTH_SOCK",
    "MAX_TOKENS",
    "TOKEN_LIMIT",
    "MONKEY_BUSINESS",
    "AUTHOR",
    "AWS_KEY_ID",
  ])("%s is none", (name) => {
    expect(isSecretName(name)).toBe(false)
  })
})

it("masks alike whatever stands beside it: to find no sign of a secret is to find none", () => {
  const beginnings =
    "-----BEGIN PRIVATE KEY-----|sk-|sk_live_|rk_test_|ghp_|ghs_|github_pat_|glpat-|npm_|hf_|AKIA|ASIA|AIza|ya29.|xoxb-|xapp-|eyJ|postgres://|https://|://|?key=|&access_token=|?secret=|Authorization: Bearer |authorization=basic "
  const part = fc.oneof(
    fc.constantFrom(...beginnings.split("|"), "x", " ", ":", "@", "/", ".", "-", "_", '"', "é"),
    fc.stringMatching(/^[A-Z0-9]{16,36}$/),
    fc.stringMatching(/^[a-z0-9_-]{6,20}$/),
  )
  const mask = makeMask({ A_TOKEN: "hunter2" })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const text = parts.join("")
      expect(mask(`?key=seen\n${text}`)).toBe(`?key=***\n${mask(text)}`)
    }),
    { numRuns: 3000 },
  )
})

it("takes time in proportion to the text, whatever is in it", () => {
  // Each of these begins many formats and completes none.
  const nasty = ["-----BEGIN PRIVATE KEY-----", "://a:", "eyJaaaaaaaaa.", "sk-", "a@", "password=&"].map((part) =>
    part.repeat(20_000),
  )
  for (const text of nasty) expect(makeMask({ X_KEY: "abcdef" })(text).length).toBeLessThanOrEqual(text.length)
})
