import { describe, expect, it } from "bun:test"
import { AppError } from "../kernel/errors.ts"
import {
  assertMove,
  canMove,
  hasEnded,
  isHeld,
  isMet,
  ROLES,
  rolesMatch,
  TASK_STATUSES,
  TASK_TRANSITIONS,
  type Task,
  type TaskStatus,
} from "./task.ts"

/** The table as the style guide prints it. */
const DOCUMENTED: Record<TaskStatus, string> = {
  open: "in_progress paused skipped",
  in_progress: "in_review resolved open paused failed",
  in_review: "resolved in_progress open paused failed",
  paused: "open in_progress in_review skipped",
  failed: "open skipped",
  resolved: "open",
  skipped: "open",
}

describe("transitions", () => {
  it("are those of the documented table, for every pair of statuses", () => {
    expect(Object.keys(TASK_TRANSITIONS).toSorted()).toEqual([...TASK_STATUSES].toSorted())
    for (const from of TASK_STATUSES) {
      for (const to of TASK_STATUSES) {
        expect({ from, to, allowed: canMove(from, to) }).toEqual({
          from,
          to,
          allowed: DOCUMENTED[from].split(" ").includes(to),
        })
      }
    }
  })

  it("never lead from a status to itself, and name each only once", () => {
    for (const from of TASK_STATUSES) {
      expect(TASK_TRANSITIONS[from] as readonly string[]).not.toContain(from)
      expect(new Set(TASK_TRANSITIONS[from]).size).toBe(TASK_TRANSITIONS[from].length)
    }
  })

  it("reach every status from open, and open from every status", () => {
    for (const status of TASK_STATUSES) {
      expect(reachable("open")).toContain(status)
      expect(reachable(status)).toContain("open")
    }
  })

  it("let work end only after it was begun: resolved and failed follow a claim", () => {
    for (const end of ["resolved", "failed"] as const) {
      expect(TASK_STATUSES.filter((from) => canMove(from, end))).toEqual(["in_progress", "in_review"])
    }
  })

  it("let a paused task go back to where it was paused", () => {
    const pausable = TASK_STATUSES.filter((from) => canMove(from, "paused"))
    expect(pausable).toEqual(["open", "in_progress", "in_review"])
    for (const status of pausable) expect(canMove("paused", status)).toBe(true)
  })
})

describe("assertMove", () => {
  const task = (status: TaskStatus) => ({ id: "7", status }) as Pick<Task, "id" | "status">

  it("says nothing when the move is allowed", () => {
    expect(() => assertMove(task("open"), "in_progress")).not.toThrow()
  })

  it("says what would be allowed, with the values", () => {
    const error = refusal(() => assertMove(task("failed"), "resolved"))
    expect(error.code).toBe("task.transition")
    expect(error.message).toContain("task 7 is failed and can only become open, skipped")
    expect(error.details).toEqual({ taskId: "7", from: "failed", to: "resolved" })
  })

  it("says how to begin with an open task", () => {
    expect(refusal(() => assertMove(task("open"), "resolved")).message).toContain(
      "teamwork task claim --id 7 --owner NAME",
    )
  })
})

describe("isMet", () => {
  it("is true for what is done or left out, and nothing else", () => {
    expect(TASK_STATUSES.filter(isMet)).toEqual(["resolved", "skipped"])
  })
})

describe("isHeld and hasEnded", () => {
  it("are each true for their statuses, and for none of the others", () => {
    expect(TASK_STATUSES.filter(isHeld)).toEqual(["in_progress", "in_review"])
    expect(TASK_STATUSES.filter(hasEnded)).toEqual(["resolved", "failed", "skipped"])
  })
})

describe("rolesMatch", () => {
  it("takes any task without a role, and as a generic worker", () => {
    for (const role of ROLES) {
      expect(rolesMatch(role, null)).toBe(true)
      expect(rolesMatch(role, "worker")).toBe(true)
    }
  })

  it("takes the own role and generic tasks, and no other", () => {
    expect(ROLES.filter((role) => rolesMatch(role, "docs"))).toEqual(["docs", "worker"])
  })
})

function reachable(from: TaskStatus): TaskStatus[] {
  const seen = new Set<TaskStatus>([from])
  for (const status of seen) for (const next of TASK_TRANSITIONS[status]) seen.add(next)
  return [...seen]
}

function refusal(work: () => void): AppError {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error("was not refused")
}
