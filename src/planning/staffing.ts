import { quoteInput } from "../kernel/ids.ts"
import { nearest } from "../lib/text/nearest.ts"
import { ROLES, type Role } from "../tasks/task.ts"

/** As many as can work at once, a number, or numbers by role. */
export type Staffing =
  | { readonly kind: "auto" }
  | { readonly kind: "count"; readonly count: number }
  | { readonly kind: "roles"; readonly counts: readonly { readonly role: Role; readonly count: number }[] }

export const STAFFING_FORMS = "auto, a number, backend:2,test:1, or 0 to start none"

/** `auto`, `3` or `backend:2,test:1`. With `0`, people start the workers. */
export function parseStaffing(given: string): Staffing | { readonly problem: string } {
  const text = given.trim()
  if (text === "auto") return { kind: "auto" }
  if (/^\d+$/.test(text)) return { kind: "count", count: Number(text) }
  if (!text.includes(":")) return { problem: `${quoteInput(given)} is not one of: ${STAFFING_FORMS}` }
  const counts = new Map<Role, number>()
  for (const part of text.split(",")) {
    const [name = "", count = ""] = part.split(":").map((each) => each.trim())
    const role = ROLES.find((each) => each === name)
    if (role === undefined) return { problem: noRole(name) }
    if (!/^[1-9]\d*$/.test(count) || part.split(":").length > 2)
      return { problem: `${quoteInput(part.trim())} needs a number from 1 behind the colon, as ${role}:1` }
    if (counts.has(role)) return { problem: `${role} is there twice` }
    counts.set(role, Number(count))
  }
  return { kind: "roles", counts: [...counts].map(([role, count]) => ({ role, count })) }
}

export function problemWithSize(staffing: Staffing, maxAgents: number): string | undefined {
  const count = sizeOf(staffing)
  return count > maxAgents ? `${count} workers are more than the ${maxAgents} of team.maxAgents` : undefined
}

/** At the same time. */
export function handsOf(staffing: Staffing, maxAgents: number): number {
  return staffing.kind === "auto" ? maxAgents : Math.min(sizeOf(staffing), maxAgents)
}

function sizeOf(staffing: Staffing): number {
  if (staffing.kind === "auto") return 0
  if (staffing.kind === "count") return staffing.count
  return staffing.counts.reduce((sum, { count }) => sum + count, 0)
}

function noRole(name: string): string {
  const close = nearest(name, ROLES)
  const hint = close === undefined ? `use ${ROLES.join(", ")}` : `did you mean ${close}?`
  return `${quoteInput(name)} is not a role; ${hint}`
}
