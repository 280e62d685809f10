import { describe, expect, it } from "bun:test"
import { AppError, type Told } from "../../kernel/errors.ts"
import type { Remedy } from "../../kernel/remedy.ts"
import { COMMANDS } from "../cli/commands.ts"
import { mcpWords } from "./mcp-words.ts"
import { TOOLS } from "./tool-table.ts"
import { leadOf, type Who } from "./who.ts"

const LEAD = leadOf({ project: "shop", team: "main" })
const WORKER: Who = { ...LEAD, worker: "w1", isFixed: true }

async function told(who: Who | null, remedy: Remedy | Remedy[]): Promise<string> {
  const error = new AppError("usage", "no", {}, { remedy })
  return error.tell(await mcpWords(error, { who, commands: COMMANDS }))
}

async function fieldIn(toolName: string | undefined, message: Told, who: Who | null = LEAD): Promise<string> {
  const error = new AppError("usage", message)
  const tool = TOOLS.find(({ name }) => name === toolName)
  return error.tell(await mcpWords(error, { who, commands: COMMANDS, tool }))
}

describe("the words of tools", () => {
  it("are a call, with the arguments as the tool has them", async () => {
    expect(await told(LEAD, { operation: "task list", to: "see" })).toBe("no; see: call task_list")
    expect(await told(LEAD, { operation: "task release", fields: { id: "3" } })).toBe(
      'no; call task_release {"id":"3"}',
    )
    const put: Remedy = { operation: "explore put", fields: { angle: "it's", files: "FILES" } }
    expect(await told(LEAD, put)).toBe(`no; call explore_put {"angle":"it's","files":["FILES"]}`)
  })

  it("leave out what the connection says itself, also where the reader had to fill it in", async () => {
    const claim: Remedy = { operation: "task claim", fields: { id: "3", owner: "NAME" } }
    expect(await told(LEAD, claim)).toBe('no; call task_claim {"id":"3","owner":"NAME"}')
    expect(await told(WORKER, claim)).toBe('no; call task_claim {"id":"3"}')
    const ask = (owner: string): Remedy => ({ operation: "ownership ask", fields: { task: "3", owner } })
    expect(await told(WORKER, ask("w1"))).toBe('no; call ownership_ask {"task":"3"}')
    expect(await told(WORKER, ask("w2"))).toBe("no; the lead can: teamwork ownership ask 3 --owner w2")
  })

  it("take the tool that says the same as the remedy", async () => {
    const phase: Remedy = { operation: "task phase", fields: { id: "3", to: "execution" }, to: "go on with" }
    expect(await told(WORKER, phase)).toBe('no; go on with: call task_phase {"id":"3","to":"execution"}')
  })

  it("say who can, where the caller has no such tool", async () => {
    const reopen: Remedy = { operation: "task reopen", fields: { id: "3" } }
    expect(await told(LEAD, reopen)).toBe("no; run: teamwork task reopen 3")
    expect(await told(WORKER, reopen)).toBe("no; the lead can: teamwork task reopen 3")
    expect(await told(null, reopen)).toBe("no; run: teamwork task reopen 3")
    const check: Remedy = { operation: "checkpoint", fields: { name: "final" }, to: "ask for it with" }
    expect(await told(LEAD, check)).toBe('no; ask for it with: call checkpoint_ask {"name":"final"}')
    expect(await told(WORKER, check)).toBe("no; the lead can ask for it with: teamwork checkpoint final")
    const noClaims = { ...WORKER, mayHold: false }
    expect(await told(noClaims, { operation: "task release", fields: { id: "3" } })).toBe(
      "no; the lead can: teamwork task release 3",
    )
  })

  it("join several ways", async () => {
    const ways: Remedy[] = [
      { operation: "approvals", to: "see" },
      { operation: "approve", fields: { number: 2 }, to: "decide with" },
    ]
    expect(await told(LEAD, ways)).toBe("no; see: call approval_list, or decide with: teamwork approve 2")
    expect(await told(WORKER, ways)).toBe(
      "no; see: call approval_list, or the lead can decide with: teamwork approve 2",
    )
  })

  it("name fields as the arguments of the tool that was called", async () => {
    expect(await fieldIn("evidence_add", (say) => say.field("addEvidence"))).toBe("add_evidence")
    expect(await fieldIn("codex_status", (say) => say.field("jobId"))).toBe("jobId")
    expect(await fieldIn("agent_status", (say) => say.field("jobId"))).toBe("job_id")
    expect(await fieldIn(undefined, (say) => say.field("workerId"), null)).toBe("worker_id")
    expect(await fieldIn("task_list", (say) => say.field("store"))).toBe("--store")
  })
})
