import { describe, expect, test } from "bun:test"
import { getSetting, isValidValue, type SettingKey } from "./settings.ts"

describe("text becomes a value", () => {
  test.each<[SettingKey, string, unknown]>([
    ["store", " sqlite:a ", " sqlite:a "],
    ["team.maxAgents", " 7 ", 7],
    ["team.maxAgents", "1e3", "1e3"],
    ["team.maxAgents", "0x10", "0x10"],
    ["team.maxAgents", "", ""],
    ["budget.teamDollars", " 2.50 ", 2.5],
    ["budget.teamDollars", "3", 3],
    ["budget.teamDollars", "2.", "2."],
    ["budget.teamDollars", "1e3", "1e3"],
    ["budget.teamTokens", "2.5", "2.5"],
    ["team.enableCascade", "TRUE", true],
    ["team.enableCascade", "0", false],
    ["team.enableCascade", "perhaps", "perhaps"],
    ["team.restartBackoffSeconds", "1, 2,3", [1, 2, 3]],
    ["team.restartBackoffSeconds", "[1,2]", [1, 2]],
    ["team.restartBackoffSeconds", "1,x", [1, "x"]],
    ["evidence.warnPatterns", "a b, c,,", ["a b", "c"]],
    ["evidence.warnPatterns", '["a, b"]', ["a, b"]],
    ["evidence.warnPatterns", "[WIP],hack", ["[WIP]", "hack"]],
    ["evidence.warnPatterns", "", []],
  ])("%s %j", (key, text, value) => {
    expect(getSetting(key).parse(text)).toEqual(value)
  })
})

describe("a value that fits", () => {
  test.each<[SettingKey, unknown, boolean]>([
    ["store", "", true],
    ["store", "sqlite:x.db", true],
    ["store", "sqlite:", false],
    ["store", "postgres://host/db", true],
    ["store", "postgresql://host/db", true],
    ["store", "mysql://host/db", false],
    ["store", "x.db", false],
    ["store", null, false],
    ["team.maxAgents", 1, true],
    ["team.maxAgents", 64, true],
    ["team.maxAgents", 0, false],
    ["team.maxAgents", 65, false],
    ["team.maxAgents", 2.5, false],
    ["team.maxRestarts", 2 ** 53, false],
    ["team.maxRestarts", 1e300, false],
    ["team.maxAgents", "3", false],
    ["team.maxAgents", Number.NaN, false],
    ["budget.teamDollars", 0.25, true],
    ["budget.teamDollars", 0, true],
    ["budget.teamDollars", -0.5, false],
    ["budget.teamDollars", Number.POSITIVE_INFINITY, false],
    ["budget.teamDollars", Number.NaN, false],
    ["budget.teamDollars", "1.5", false],
    ["budget.teamTokens", 0.25, false],
    ["team.maxConsecutiveErrors", 0, true],
    ["team.onBlockerFailed", "retry", true],
    ["team.onBlockerFailed", "never", false],
    ["team.pollIntervalSeconds", 0, false],
    ["claim.leaseSeconds", 0, false],
    ["team.watchdogWarningMs", 0, true],
    ["team.agentTimeoutSeconds", 0, true],
    ["team.freshStartIntervalSeconds", 0, true],
    ["team.monitorIntervalMs", 2_147_483_648, false],
    ["team.defaultModel", "haiku", true],
    ["team.defaultModel", "Haiku", false],
    ["team.defaultAgentType", " ", false],
    ["team.enableCascade", 1, false],
    ["team.restartBackoffSeconds", [], true],
    ["team.restartBackoffSeconds", [0, 1], true],
    ["team.restartBackoffSeconds", [-1], false],
    ["team.restartBackoffSeconds", 5, false],
    ["evidence.warnPatterns", [], true],
    ["evidence.warnPatterns", ["a", ""], false],
    ["evidence.warnPatterns", [1], false],
    ["evidence.warnPatterns", { 0: "a" }, false],
  ])("%s %j: %p", (key, value, fits) => {
    expect(isValidValue(key, value)).toBe(fits)
  })
})
