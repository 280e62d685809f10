import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { surround } from "./surround.ts"

test("programs in a checkout find its own Python and ports, and nothing of the user's checkout", () => {
  using scratch = makeScratch()
  const [user, folder] = [join(scratch.path, "user"), join(scratch.path, "w1")]
  const env = {
    PATH: `${user}/.venv/bin:/usr/bin:${user}/node_modules/.bin`,
    VIRTUAL_ENV: `${user}/.venv`,
    PYTHONPATH: `${user}/src:/opt/lib`,
    KEPT: "x",
  }
  const place = { folder, userRoots: [user], ports: { first: 21_000, last: 21_019 } }
  const ports = { TEAMWORK_PORT: "21000", TEAMWORK_PORT_END: "21019" }
  const bare = { PATH: "/usr/bin", PYTHONPATH: `${folder}/src:/opt/lib`, KEPT: "x", ...ports }
  expect(surround<Record<string, string>>(env, place)).toEqual(bare)
  mkdirSync(`${folder}/.venv/bin`, { recursive: true })
  writeFileSync(`${folder}/.venv/bin/python`, "")
  expect(surround<Record<string, string>>(env, place)).toEqual({
    ...bare,
    PATH: `${folder}/.venv/bin:/usr/bin`,
    VIRTUAL_ENV: `${folder}/.venv`,
  })
  mkdirSync(`${folder}/api/venv/bin`, { recursive: true })
  writeFileSync(`${folder}/api/venv/bin/python`, "")
  expect(surround<Record<string, string>>(env, { ...place, inside: `${folder}/api` }).VIRTUAL_ENV).toBe(
    `${folder}/api/venv`,
  )
  // In the user's own checkout everything stays.
  expect(surround<Record<string, string>>(env, { folder: user, userRoots: [user], ports: undefined })).toEqual(env)
})
