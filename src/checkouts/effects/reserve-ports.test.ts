import { expect, test } from "bun:test"
import { mkdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { makeScratch, safeDelete } from "../../../test/support/sandbox.ts"
import { sleep } from "../../lib/sleep.ts"
import { findPorts, reservePorts } from "./reserve-ports.ts"

function makeFolders(root: string, ...names: string[]): string[] {
  return names.map((name) => {
    const folder = join(root, name)
    mkdirSync(folder)
    return folder
  })
}

test("F022 each checkout has ports of its own, which stay, and which come back when it is gone", async () => {
  using scratch = makeScratch()
  const ports = { home: join(scratch.path, "home"), base: 41_000, sleep }
  const folders = makeFolders(scratch.path, "w1", "w2", "w3", "w4")
  const ranges = await Promise.all(folders.map((folder) => reservePorts(ports, folder)))
  const firsts = ranges.map((range) => range?.first ?? 0).toSorted()
  expect(new Set(firsts).size).toBe(4)
  for (const [index, first] of firsts.entries())
    if (index > 0) expect(first - (firsts[index - 1] ?? 0)).toBeGreaterThanOrEqual(20)
  expect(await reservePorts(ports, folders[1] ?? "")).toEqual(ranges[1])
  expect(findPorts(ports.home, folders[2] ?? "")).toEqual(ranges[2])
  expect(findPorts(ports.home, "/nowhere")).toBeUndefined()
  safeDelete(folders[0] ?? "")
  const [next] = makeFolders(scratch.path, "w5")
  expect(await reservePorts(ports, next ?? "")).toEqual(ranges[0])
})

test("F022 ports that another program listens on are not given out", async () => {
  using scratch = makeScratch()
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, "127.0.0.1", resolve)
  await promise
  const address = server.address()
  const taken = typeof address === "object" && address !== null ? address.port : 0
  const [folder = ""] = makeFolders(scratch.path, "w1")
  const range = await reservePorts({ home: join(scratch.path, "home"), base: taken - 5, sleep }, folder)
  expect(range === undefined || range.first > taken).toBe(true)
  server.close()
})
