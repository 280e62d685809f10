import { expect, it } from "bun:test"
import type { AgentEvent, AgentEventBody } from "../port.ts"
import { joinParts } from "./join-parts.ts"

function joined(...bodies: AgentEventBody[]): string[] {
  const seen: AgentEvent[] = []
  const parts = joinParts((event) => seen.push(event))
  bodies.forEach((body, at) => {
    parts.push({ at, ...body })
  })
  return seen.map((event) => `${event.at} ${event.type} ${"text" in event ? event.text : ""}`.trimEnd())
}

const first = (text: string) => ({ type: "text", text, part: "first" }) as const
const next = (text: string) => ({ type: "text", text, part: "next" }) as const
const thought = (text: string) => ({ type: "reasoning", text, part: "next" }) as const
const whole = (text: string) => ({ type: "text", text }) as const
const END = { type: "message_delivered", messageId: "1" } as const
const USAGE = { type: "usage", isTotal: true, inputTokens: 1, outputTokens: 1, cachedTokens: 0, dollars: null } as const

it("makes lines of pieces", () => {
  expect(joined(first("Hel"), next("lo wor"), next("ld.\nAnd"), next(" more"), END)).toEqual([
    "0 text Hello world.",
    "2 text And more",
    "4 message_delivered",
  ])
})

it("begins anew with another message, another kind and a whole text, and not with what is told beside it", () => {
  expect(joined(first("a"), USAGE, next("b"), first("c"), thought("d"), thought("e"), whole("f"), END)).toEqual([
    ...["1 usage", "0 text ab", "3 text c", "4 reasoning de", "6 text f", "7 message_delivered"],
  ])
})

it("keeps several lines together that came together, and drops none but empty ones", () => {
  expect(joined(first("a\n\nb\n"), next("\n"), next("c\n"), END)).toEqual([
    "0 text a\n\nb",
    "2 text c",
    "3 message_delivered",
  ])
})

it("does not wait for ever for the end of a line", () => {
  const long = "x".repeat(20_000)
  expect(joined(first(long), next("y"), END).map((line) => line.length)).toEqual(["0 text ".length + 20_000, 8, 19])
})
