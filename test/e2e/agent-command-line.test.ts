// The command of an agent is a command line (F043).
import { describe, expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Bench, type Data, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(TEST_TIMEOUT_MS)

const ACP = join(import.meta.dir, "../fixtures/agents/acp-agent.ts")

async function found(bench: Bench, name: string, env: Record<string, string> = {}): Promise<Data | undefined> {
  const result = await bench.run(["agent", "list", "--json"], { env })
  return result.json<{ data: Data[] }>().data.find((each) => each.name === name)
}

describe("agents.NAME.command", () => {
  it("F043: takes a command line as the user types it, from the setting and from the variable", async () => {
    using bench = makeBench()
    const line = `${process.execPath} ${ACP} fresh`
    await bench.ok("config", "set", "agents.acp.command", line)
    expect(await found(bench, "acp")).toMatchObject({ is_available: true, version: "1.2.3" })
    const wrong = { TEAMWORK_AGENTS_ACP_COMMAND: `${process.execPath} "${ACP}` }
    const refused = await bench.run(["agent", "list"], { env: wrong })
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("a quote does not end") })
    expect(await found(bench, "acp", { TEAMWORK_AGENTS_ACP_COMMAND: `'${process.execPath}' "${ACP}"` })).toMatchObject({
      is_available: true,
    })
    // As it was before, with commas or as a JSON array.
    const list = { TEAMWORK_AGENTS_ACP_COMMAND: JSON.stringify([process.execPath, ACP]) }
    expect(await found(bench, "acp", list)).toMatchObject({ is_available: true })
    expect(await found(bench, "acp", { TEAMWORK_AGENTS_ACP_COMMAND: `${process.execPath},${ACP}` })).toMatchObject({
      is_available: true,
    })
  })

  it("F043: takes the path of a program with spaces, as it is or quoted", async () => {
    using bench = makeBench()
    const program = join(bench.home, "my tools", "claude")
    mkdirSync(join(bench.home, "my tools"))
    writeFileSync(program, "#!/bin/sh\necho 9.8.7 $1\n")
    chmodSync(program, 0o755)
    for (const line of [program, `"${program}" -x`]) {
      const env = { TEAMWORK_AGENTS_CLAUDE_COMMAND: line }
      expect(await found(bench, "claude", env)).toMatchObject({ is_available: true, version: "9.8.7" })
    }
  })
})
