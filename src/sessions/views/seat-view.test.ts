import { describe, expect, it } from "bun:test"
import { makeTask } from "../../../test/support/tasks.ts"
import { parseTaskId } from "../../kernel/ids.ts"
import type { Message } from "../../messages/message.ts"
import { isOwnWord, sayFinish, sayInvitation, sayMessages, sayNext, sayWait } from "./seat-view.ts"

const ID = parseTaskId("7")
const WHO = { project: "shop", team: "main", worker: "w1" }

function message(payload: Message["payload"], type: Message["type"] = "text"): Message {
  const sent = { timestamp: "2026-01-02T03:04:05.000Z", deliveredAt: null, read: false }
  return { id: "m", from: "orchestrator", to: "w1", type, payload, ...sent }
}

describe("what a session is told to do", () => {
  it("is known as ours when it comes back as a prompt, with something in front too", () => {
    const next = sayNext(WHO, { task: makeTask({ id: ID }), available: 2, role: null })
    for (const text of [next, sayFinish(WHO, makeTask({ id: ID })), sayWait(WHO)])
      expect(isOwnWord(`<context>\n${text}`)).toBe(true)
    expect(isOwnWord("work with the team")).toBe(false)
  })

  it("names the role only where there is one", () => {
    expect(sayNext(WHO, { task: makeTask({ id: ID }), available: 2, role: "docs" })).toContain(
      "--id 7 --owner w1 --role docs ",
    )
    expect(sayNext(WHO, { task: makeTask({ id: ID }), available: 2, role: null })).not.toContain("--role")
  })

  it("cuts long texts and lists short, and drops what would play tricks on a terminal", () => {
    const task = makeTask({
      id: ID,
      title: "a\u001b[31mb",
      description: "x".repeat(10_000),
      acceptance: Array.from({ length: 50 }, (_, index) => `rule ${index}`),
    })
    const text = sayFinish(WHO, task)
    expect(text.length).toBeLessThan(6000)
    expect(text).toContain("x... (cut short)")
    expect(text).toContain("- rule 19\n- and 30 more")
    expect(text).not.toContain("\u001b")
  })
})

describe("messages", () => {
  it("are told one by one, a request to end with what to do", () => {
    expect(sayMessages([])).toBe("")
    const text = sayMessages([
      message({ message: "hello" }),
      message({ request_id: "r", reason: "enough" }, "shutdown_request"),
    ])
    expect(text.split("\n").slice(1)).toEqual([
      "- from orchestrator (2026-01-02T03:04:05.000Z): hello",
      "- from orchestrator (2026-01-02T03:04:05.000Z): the lead wants this session to end (enough): finish your task or give it back, then run: teamwork leave",
    ])
    expect(sayMessages([message({ odd: 1 })])).toEndWith(': {"odd":1}')
  })
})

it("invites with the session's id only where commands could not find it", () => {
  expect(sayInvitation(WHO, { terminalId: null })).not.toContain("--terminal-id")
  expect(sayInvitation(WHO, { terminalId: "s1" }).match(/--terminal-id s1/g)).toHaveLength(2)
})
