import { describe, expect, it } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { commandLine } from "../kernel/command-line.ts"
import { type FieldValue, REMEDIES } from "../kernel/remedy.ts"
import { describeField, type Field } from "../lib/schema.ts"
import { splitCommand } from "../lib/text/split-command.ts"
import { COMMANDS, VISIBLE_COMMANDS } from "./cli/commands.ts"
import { flagsOf, parseFlags } from "./cli/flags.ts"
import { GLOBAL_FIELDS } from "./cli/global-fields.ts"

// The compiler holds every remedy in the sources against the table of remedies; this holds that table against the commands.
const SOURCES = [...new Bun.Glob("**/*.ts").scanSync(join(import.meta.dir, ".."))]
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => [path, readFileSync(join(import.meta.dir, "..", path), "utf8")] as const)

describe("the table of remedies", () => {
  it.each(Object.entries(REMEDIES))("has %s as its command is", async (operation, names) => {
    const command = await VISIBLE_COMMANDS.find(({ name }) => name === operation)?.load()
    if (command === undefined) throw new Error(`there is no command ${operation}`)
    expect(names.filter((name) => !(name in command.fields))).toEqual([])
  })

  it.each(Object.entries(REMEDIES))(
    "names %s so that its line is read back as it was meant",
    async (operation, names) => {
      const row = VISIBLE_COMMANDS.find(({ name }) => name === operation)
      if (row === undefined) throw new Error(`there is no command ${operation}`)
      const { fields, positional, takesRest } = await row.load()
      const sample = Object.fromEntries(names.map((name) => [name, sampleOf(fields[name])]))
      const line = commandLine({ operation, fields: sample }, { positional, takesRest })
      const words = splitCommand(line).commands[0]?.words.slice(1 + operation.split(" ").length) ?? []
      const parsed = parseFlags(words, flagsOf(fields), positional ?? [], "")
      const rest = takesRest === undefined || parsed.rest.length === 0 ? {} : { [takesRest]: parsed.rest }
      expect({ ...parsed.values, ...rest }).toEqual(sample)
    },
  )

  it("has nothing that no error names", () => {
    const all = SOURCES.map(([, text]) => text).join("\n")
    expect(Object.keys(REMEDIES).filter((operation) => !all.includes(`operation: "${operation}"`))).toEqual([])
  })
})

describe("the messages of errors", () => {
  it("contain no command line and no flag, which are for the door to say", async () => {
    const loaded = await Promise.all(COMMANDS.map(({ load }) => load()))
    const flags = loaded.flatMap(({ fields }) => flagsOf(fields).map(({ name }) => name))
    const names = COMMANDS.map(({ name }) => name).join("|")
    // Git commands for a person are in git's own words.
    const typed = new RegExp(
      `(?<!\\ba(?:nother)? )teamwork (?:${names})\\b|(?<!git [^;"\`]*)--(?:${flags.join("|")})\\b`,
    )
    // Only people at a shell see what is wrong with a command line.
    const errors = SOURCES.filter(([path]) => !path.startsWith("doors/cli/")).flatMap(([path, text]) =>
      argumentsOf("new AppError(", text).map((given) => `${path}: ${given}`),
    )
    expect(errors.length).toBeGreaterThan(300)
    expect(errors.filter((each) => typed.test(each))).toEqual([])
  })

  it("name only fields that some command has", async () => {
    const loaded = await Promise.all(COMMANDS.map(({ load }) => load()))
    // The tool that is no command.
    const known = new Set([
      ...loaded.flatMap(({ fields }) => Object.keys(fields)),
      ...Object.keys(GLOBAL_FIELDS),
      "sessionId",
    ])
    const named = SOURCES.flatMap(([path, text]) =>
      [...text.matchAll(/\bsay\.field\("(\w+)"\)/g)].map(([, name = ""]) => `${path}: ${name}`),
    )
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((each) => !known.has(each.split(": ")[1] ?? ""))).toEqual([])
  })
})

/** What stands in the brackets behind each `start`. */
function argumentsOf(start: string, text: string): string[] {
  return text
    .split(start)
    .slice(1)
    .map((rest) => {
      let depth = 1
      const end = [...rest].findIndex((letter) => {
        depth += letter === "(" ? 1 : letter === ")" ? -1 : 0
        return depth === 0
      })
      return rest.slice(0, end)
    })
}

function sampleOf(field: Field<unknown> | undefined): FieldValue {
  const { kind = "text" } = field === undefined ? {} : describeField(field)
  if (kind === "flag") return true
  if (kind === "number") return 3
  return kind === "list" ? ["one; two", "b"] : "one; two"
}
