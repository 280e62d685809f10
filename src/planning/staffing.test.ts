import { expect, it } from "bun:test"
import { parseStaffing, problemWithSize } from "./staffing.ts"

it.each([
  ["auto", { kind: "auto" }],
  ["3", { kind: "count", count: 3 }],
  ["0", { kind: "count", count: 0 }],
  [
    " backend:2 , test:1 ",
    {
      kind: "roles",
      counts: [
        { role: "backend", count: 2 },
        { role: "test", count: 1 },
      ],
    },
  ],
] as const)("%j is a way to say who works", (text, staffing) => {
  expect(parseStaffing(text) as unknown).toEqual(staffing)
})

it.each([
  ["", '"" is not one of: auto, a number, backend:2,test:1, or 0 to start none'],
  ["many", '"many" is not one of: auto, a number, backend:2,test:1, or 0 to start none'],
  ["-1", '"-1" is not one of: auto, a number, backend:2,test:1, or 0 to start none'],
  ["1.5", '"1.5" is not one of: auto, a number, backend:2,test:1, or 0 to start none'],
  ["bakend:2", '"bakend" is not a role; did you mean backend?'],
  ["queen:2", '"queen" is not a role; use frontend, backend, devops, test, docs, security, review, worker'],
  ["backend:0", '"backend:0" needs a number from 1 behind the colon, as backend:1'],
  ["backend:x", '"backend:x" needs a number from 1 behind the colon, as backend:1'],
  ["backend:1,", '"" is not a role; use frontend, backend, devops, test, docs, security, review, worker'],
  ["backend:1,test", '"test" needs a number from 1 behind the colon, as test:1'],
  ["backend:1:2", '"backend:1:2" needs a number from 1 behind the colon, as backend:1'],
  ["backend:1,backend:2", "backend is there twice"],
] as const)("%j is none", (text, problem) => {
  expect(parseStaffing(text)).toEqual({ problem })
})

it("may not be more than the team may have", () => {
  const of = (text: string) => {
    const staffing = parseStaffing(text)
    return "problem" in staffing ? staffing.problem : problemWithSize(staffing, 5)
  }
  expect(["auto", "0", "5", "backend:4,test:1"].map(of)).toEqual([undefined, undefined, undefined, undefined])
  expect(of("6")).toBe("6 workers are more than the 5 of team.maxAgents")
  expect(of("backend:4,test:2")).toBe("6 workers are more than the 5 of team.maxAgents")
})
