import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { maskParts } from "./mask-parts.ts"
import { MAX_SECRET, makeSecrets } from "./mask-secrets.ts"

// Put together here, so that no scanner takes this file for a leak.
const key = (...parts: string[]) => parts.join("")
const BLOCK =
  "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA+/AB\nQyNTUxOQ==\n-----END OPENSSH PRIVATE KEY-----"
const ENV = { MY_TOKEN: "correct horse/battery", OTHER_KEY: "correct horse", SHORT_KEY: "aabaab" }
/** What nobody may see, in a text that may be seen. */
const CASES: readonly [text: string, secret: string][] = [
  ...[
    key("sk-", "ant-api03-", "a1B2c3D4e5F6g7H8"),
    key("rk_", "test_", "a1B2c3D4e5F6g7H8"),
    key("ghp_", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8abcd"),
    key("github_", "pat_", "11ABCDEFG0a1B2c3D4e5F6_x"),
    key("glpat-", "a1B2c3D4e5F6g7H8i9J0"),
    key("npm_", "a1B2c3D4e5F6g7H8a1B2c3D4e5F6g7H8abcd"),
    key("hf_", "a1B2c3D4e5F6g7H8a1B2"),
    key("ASIA", "ABCDEFGHIJKLMNOP"),
    key("AIza", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    key("ya29.", "a1B2c3D4e5F6g7H8i9J0"),
    key("xoxb-", "123456789012-abcdefABCDEF"),
    key("xapp-", "123456789012"),
    key("eyJ", "hbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0In0.", "c2lnbmF0dXJl"),
    BLOCK,
    ENV.MY_TOKEN,
    ENV.OTHER_KEY,
    ENV.SHORT_KEY,
  ].map((secret): [string, string] => [`say (${secret}) now`, secret]),
  ["at postgres://ann:p@ss:w/ord@db/x here", "p@ss:w/ord"],
  ["at mongodb+srv://:s3cret@db/x here", "s3cret"],
  ["clone https://ann:s3cret@git.example/x.git", "s3cret"],
  ["see /x?user=ann&password=s3cret&ssl=1", "s3cret"],
  ["Authorization: Bearer abcdef123456.", "abcdef123456"],
  ['"authorization":"Basic YW5uOnMzY3JldA==",', "YW5uOnMzY3JldA=="],
]

const secrets = makeSecrets(ENV)

function play(parts: readonly string[]): string[] {
  const shown: string[] = []
  const masked = maskParts(secrets)
  for (const part of parts) void masked.push(part, (text) => void shown.push(text))
  void masked.end()
  expect(shown).toHaveLength(parts.length)
  return shown
}

describe("a secret in parts is hidden", () => {
  it.each(CASES)("wherever it is split: %s", (text, secret) => {
    expect(secrets.mask(text)).not.toContain(secret)
    for (let at = 0; at <= text.length; at++) {
      const parts = [text.slice(0, at), text.slice(at)]
      expect([parts, play(parts).join("")]).toEqual([parts, secrets.mask(text)])
    }
    expect(play([...text]).join("")).toBe(secrets.mask(text))
  })

  it("in any text, in any parts, as in the whole", () => {
    const pieces = CASES.flatMap(([text, secret]) => [text, secret, secret.slice(0, 5), secret.slice(-5)])
    const texts = fc.array(
      fc.oneof(fc.constantFrom(...pieces, " ", "\n", "s", "sk-", "@", "://", "a", "-"), fc.string()),
    )
    const cuts = fc.array(fc.nat(400), { maxLength: 12 })
    fc.assert(
      fc.property(texts, cuts, (words, places) => {
        const text = words.join("")
        const at = [...new Set([0, ...places.filter((place) => place < text.length), text.length])].sort(
          (a, b) => a - b,
        )
        const parts = at.slice(1).map((end, index) => text.slice(at[index], end))
        expect(play(parts).join("")).toBe(secrets.mask(text))
      }),
      { numRuns: 1000 },
    )
  })
})

describe("a part", () => {
  it("that cannot be the beginning of one comes out at once, as it is", () => {
    const shown: string[] = []
    const masked = maskParts(secrets)
    for (const part of ["Hello, wor", "ld. A de", "sk-1234567890abcdefgh is ", "done", "."]) {
      void masked.push(part, (text) => void shown.push(text))
      expect(shown.at(-1)).toBe(part)
    }
  })

  it("that may be one waits for the next, and the others behind it", () => {
    const seen: string[] = []
    const masked = maskParts(secrets)
    const push = (text: string, name = text) => void masked.push(text, (shown) => void seen.push(`${name}:${shown}`))
    push("the key s")
    push("", "usage")
    expect(seen).toEqual([])
    push("afe")
    expect(seen.splice(0)).toEqual(["the key s:the key s", "usage:", "afe:afe"])
    push("a s")
    push("k-0123456789")
    push("", "usage")
    expect(seen).toEqual([])
    push("abcdef. b s")
    expect(seen.splice(0)).toEqual(["a s:a ***", "k-0123456789:", "usage:"])
    void masked.end()
    expect(seen).toEqual(["abcdef. b s:. b s"])
  })

  it("of one text has nothing to do with the next text", () => {
    const seen: string[] = []
    const masked = maskParts(secrets)
    void masked.push("s", (text) => void seen.push(text))
    void masked.end()
    void masked.push("k-0123456789abcdef ", (text) => void seen.push(text))
    expect(seen).toEqual(["s", "k-0123456789abcdef "])
  })

  it("does not wait for ever", () => {
    let out = 0
    const masked = maskParts(secrets)
    for (let at = 0; at < 100; at++)
      void masked.push(`sk-${"a".repeat(500)}`, (text) => {
        out += text.length
      })
    expect(out).toBeGreaterThan(0)
    const marks = maskParts(secrets)
    let seen = 0
    void marks.push("s", () => void seen++)
    for (let at = 0; at < 2000; at++) void marks.push("", () => void seen++)
    expect(seen).toBeGreaterThan(900)
  })

  it("is waited for when who gets it takes its time", async () => {
    const seen: string[] = []
    const slow = async (text: string) => {
      await Promise.resolve()
      seen.push(text)
    }
    const masked = maskParts(secrets)
    void masked.push("s", slow)
    await masked.push("o", slow)
    expect(seen).toEqual(["s", "o"])
  })
})

it("takes time in proportion to the parts, whatever is in them", () => {
  const nasty = ["postgres://a:b", "-----BEGIN PRIVATE KEY-----", "://a:", "eyJaaaaaaaaa.", "sk-", "a@", "?password=&"]
  for (const piece of nasty) {
    const masked = maskParts(secrets)
    for (let at = 0; at < 50; at++) void masked.push(`${piece.repeat(MAX_SECRET / 100)} `, () => undefined)
    void masked.end()
  }
}, 10_000)
