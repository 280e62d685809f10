// Runs every src/*.test.js in one process; the first that fails ends it.
const { existsSync, readdirSync } = require("node:fs")
const { join } = require("node:path")

const folder = join(__dirname, "..", "src")
const tests = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".test.js")) : []
for (const name of tests) require(join(folder, name))
console.log(`${tests.length} test files passed`)
