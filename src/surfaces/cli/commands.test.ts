import { describe, expect, it } from "bun:test"
import { ERROR_CODES } from "../../domain/errors.ts"
import { dashedName } from "./command.ts"
import { COMMANDS, findCommand } from "./commands.ts"
import { exitCodeOf } from "./exit-codes.ts"
import { flagsOf } from "./flags.ts"

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
      if (command.example !== undefined) expect(command.example).toContain(`teamwork ${row.name}`)
    }
  })
})

describe("exit codes", () => {
  it("are 2 for a wrong call and 1 for everything else that fails", () => {
    const wrongCalls = ERROR_CODES.filter((code) => exitCodeOf(code) === 2)
    expect(wrongCalls).toEqual([
      "usage",
      "input.invalid",
      "plan.invalid",
      "config.unknown_key",
      "config.bad_value",
      "config.bad_file",
    ])
    expect(ERROR_CODES.every((code) => [1, 2].includes(exitCodeOf(code)))).toBe(true)
  })
})
