import { expect, it } from "bun:test"
import { missingProgram, shellPrograms } from "./shell-programs.ts"

it.each([
  ["vitest run", ["vitest"]],
  ["NODE_ENV=test cross-env A=1 jest --ci", ["jest"]],
  ["tsc -p . && eslint 'src/**' | tee out.txt; exec node --test", ["tsc", "eslint", "tee", "node"]],
  ["cd web && npm test", ["npm"]],
  ["node -e \"require('a'); x && y\"", ["node"]],
  ["echo $(git rev-parse HEAD) && frobnicate", []],
  ["pytest $(ls tests)", ["pytest"]],
  ["for f in *; do cat $f; done", []],
  ["", []],
])("%p starts %p", (line, programs) => {
  expect(shellPrograms(line)).toEqual(programs)
})

it.each([
  ["sh: 1: frobnicate: not found", "frobnicate"],
  ["bash: line 1: frobnicate: command not found", "frobnicate"],
  ["/repo/run.sh: line 12: frobnicate: command not found", "frobnicate"],
  ["zsh: command not found: frobnicate", "frobnicate"],
  ["/usr/bin/env: ‘frobnicate’: No such file or directory", "frobnicate"],
  ["env: frobnicate: No such file or directory", "frobnicate"],
  ["> build\n> frobnicate --fast\n\nsh: 1: frobnicate: not found\n", "frobnicate"],
  ["nothing is said", "npm"],
])("%p names %p", (output, name) => {
  expect(missingProgram(output, "npm run build")).toBe(name)
})
