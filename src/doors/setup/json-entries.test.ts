import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { addEntry, type JsonEntry, removeEntry } from "./json-entries.ts"

const SERVER: JsonEntry = { path: ["mcpServers"], key: "teamwork", value: { command: "teamwork", args: ["mcp"] } }
const HOOK: JsonEntry = {
  path: ["hooks", "Stop"],
  value: { hooks: [{ type: "command", command: "teamwork hook stop" }] },
}
const ENTRIES = [SERVER, HOOK]

function addAll(text: string | null): string | null {
  return ENTRIES.reduce<string | null>((now, entry) => addEntry(now, entry), text)
}

function removeAll(text: string | null, entries = [...ENTRIES].reverse()): string | null {
  return entries.reduce<string | null>((now, entry) => (now === null ? null : removeEntry(now, entry)), text)
}

describe("entries of a JSON text", () => {
  it("make a file where there is none, in the usual form", () => {
    const text = addAll(null) ?? ""
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    expect(JSON.parse(text)).toEqual({ mcpServers: { teamwork: SERVER.value }, hooks: { Stop: [HOOK.value] } })
    expect(removeAll(text)).toBeNull()
    expect(removeAll(text, ENTRIES)).toBeNull()
  })

  it("go behind what is there, and leave it as it is", () => {
    const text = '{\n\t"theme" : "dark",  "mcpServers": { "a": {} },\n  "hooks": {"Stop": [ ] }\n}'
    const after = addAll(text) ?? ""
    expect(after).toStartWith('{\n\t"theme" : "dark",  "mcpServers": { "a": {},\n    "teamwork": {')
    expect(after).toEndWith(" ] }\n}")
    expect(JSON.parse(after)).toEqual({
      theme: "dark",
      mcpServers: { a: {}, teamwork: SERVER.value },
      hooks: { Stop: [HOOK.value] },
    })
    expect(addAll(after)).toBe(after)
    expect(removeAll(after)).toBe(text)
  })

  it("leave what came in meanwhile", () => {
    const after = JSON.parse(addAll("{}") ?? "")
    const more = {
      ...after,
      hooks: { Stop: [...after.hooks.Stop, { mine: 1 }] },
      mcpServers: { ...after.mcpServers, b: 1 },
    }
    expect(JSON.parse(removeAll(JSON.stringify(more)) ?? "")).toEqual({
      hooks: { Stop: [{ mine: 1 }] },
      mcpServers: { b: 1 },
    })
  })

  it.each([
    ['{"mcpServers": []}', "mcpServers is no object"],
    ['{"hooks": {"Stop": {}}}', "hooks.Stop is no list"],
    ["[]", "it is no object"],
    ['{"mcpServers": {"teamwork": {"command": "mine"}}}', "mcpServers.teamwork is there and reads otherwise"],
  ])("cannot go into %s", (text, problem) => {
    expect(() => addAll(text)).toThrow(problem)
  })

  it("are gone without a trace, whatever was there and however it was written", () => {
    const json = fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text) as unknown)
    const object = fc.dictionary(fc.string(), json, { maxKeys: 3 })
    const settings = fc.record(
      {
        mcpServers: object,
        hooks: fc.record({ Stop: fc.array(json, { maxLength: 2 }), Other: json }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/)
    const texts = fc
      .tuple(object, settings, object, fc.constantFrom("", 1, 2, "\t"), space, space)
      .map(([a, b, c, indent, before, after]) => {
        const text = JSON.stringify({ ...a, ...b, ...c, ...b }, null, indent)
        return before + text.replaceAll("{}", `{${after}}`).replaceAll("[]", `[${before}]`) + after
      })
      .filter((text) => isFree(text))
    fc.assert(
      fc.property(texts, (text) => {
        const after = addAll(text) ?? ""
        expect(addAll(after)).toBe(after)
        expect(removeAll(after)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})

/** Texts in which quoted brackets were torn apart are no JSON any more. */
function isFree(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
