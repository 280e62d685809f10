import { describe, expect, it } from "bun:test"
import { dashedName } from "../../app/command.ts"
import { ERROR_CODES } from "../../kernel/errors.ts"
import { splitCommand } from "../../lib/text/split-command.ts"
import { COMMANDS, findCommand, VISIBLE_COMMANDS } from "./commands.ts"
import { exitCodeOf } from "./exit-codes.ts"
import { checkInput, flagsOf, parseFlags } from "./flags.ts"
import { GLOBAL_FIELDS } from "./global-fields.ts"

describe("the table of commands", () => {
  it("names every command once, in both ways", () => {
    const names = COMMANDS.map((row) => row.name)
    const dashed = COMMANDS.map(dashedName)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(dashed).size).toBe(dashed.length)
    for (const name of names) expect(name).toMatch(/^[a-z]+([ -][a-z]+)?$/)
  })

  it("is found by either name, and by nothing else", () => {
    for (const row of COMMANDS) {
      const words = row.name.split(" ")
      expect(findCommand([...words, "x"])).toEqual({ row, used: words.length })
      expect(findCommand([dashedName(row), "x"])).toEqual({ row, used: 1 })
    }
    for (const words of [[], [""], ["task"], ["task", "nope"], ["Task", "list"], ["task list"]])
      if (words[0] !== "task list") expect(findCommand(words)).toBeUndefined()
  })

  it("describes every command, and every flag in kebab-case", async () => {
    for (const row of COMMANDS) {
      const command = await row.load()
      expect(command.summary).toMatch(/^[A-Z].*[^.]$/)
      for (const flag of flagsOf(command.fields)) {
        expect(flag.name).toMatch(/^[a-z]+(-[a-z]+)*$/)
        expect(flag.description).not.toBe("")
      }
      const names = Object.keys(command.fields)
      for (const field of command.positional ?? []) expect(names).toContain(field)
      if (command.takesRest !== undefined) expect(names).toContain(command.takesRest)
    }
  })

  it("names no flags in what other doors show as well", async () => {
    const loaded = await Promise.all(COMMANDS.map(({ load }) => load()))
    const flags = new Set(loaded.flatMap(({ fields }) => flagsOf(fields).map(({ name }) => `--${name}`)))
    const shown = loaded.flatMap(({ summary, fields }) => [summary, ...flagsOf(fields).map((flag) => flag.description)])
    expect(shown.filter((text) => (text.match(/--[a-z-]+/g) ?? []).some((word) => flags.has(word)))).toEqual([])
  })

  it("has an example where something must be given, and every example is a call that would be taken", async () => {
    const detected = { project: "shop", team: "main", terminalId: "t1" }
    const without: string[] = []
    for (const row of VISIBLE_COMMANDS) {
      const { example, fields, positional, takesRest } = await row.load()
      const must = flagsOf(fields).filter(({ field, isOptional }) => !isOptional && !(field in detected))
      if (example === undefined && must.length > 0) without.push(row.name)
      if (example === undefined) continue
      // Without what the shell does with its output.
      const [line = ""] = /teamwork [^>)]*/.exec(example) ?? []
      const [used, rest] = [row.name.split(" "), splitCommand(line).commands[0]?.words.slice(1) ?? []]
      expect(rest.slice(0, used.length)).toEqual(used)
      const all = { ...GLOBAL_FIELDS, ...fields }
      const parsed = parseFlags(rest.slice(used.length), flagsOf(all), positional ?? [], "")
      const behind = takesRest === undefined ? {} : { [takesRest]: parsed.rest }
      expect(() => checkInput(all, { ...detected, ...parsed.values, ...behind })).not.toThrow()
    }
    expect(without).toEqual([])
  })
})

describe("exit codes", () => {
  it("are 2 for a wrong call and 1 for everything else that fails", () => {
    const wrongCalls = ERROR_CODES.filter((code) => exitCodeOf(code) === 2)
    expect(wrongCalls).toEqual([
      "usage",
      "input.invalid",
      "plan.invalid",
      "trust.needed",
      "config.unknown_key",
      "config.bad_value",
      "config.bad_file",
    ])
    expect(ERROR_CODES.every((code) => [1, 2].includes(exitCodeOf(code)))).toBe(true)
  })
})
