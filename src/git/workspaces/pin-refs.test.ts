import { describe, expect, it } from "bun:test"
import {
  deliveredRef,
  parsePinRef,
  pinRef,
  taskOfRef,
  taskRefs,
  teamRefs,
  workerPinRef,
} from "../../kernel/branches.ts"
import { parsePin } from "./pin-refs.ts"

const FIRST = { project: "shop", team: "main", run: 1 }
const SECOND = { ...FIRST, run: 2 }
const ATTEMPT = { taskId: "1", attempt: 3 }

describe("refs of the runs of a team", () => {
  it("stand where they always did for the first run, and below runs/ for later ones", () => {
    expect(teamRefs(FIRST)).toBe("refs/teamwork/shop/main")
    expect(pinRef(FIRST, ATTEMPT, "head")).toBe("refs/teamwork/shop/main/1/3/head")
    expect(pinRef(SECOND, ATTEMPT, "head")).toBe("refs/teamwork/shop/main/runs/2/1/3/head")
    expect(workerPinRef(SECOND, { worker: "w4", number: 1 }, "head")).toBe(
      "refs/teamwork/shop/main/runs/2/workers/w4/1/head",
    )
    expect(deliveredRef(SECOND, 1, "after")).toBe("refs/teamwork/shop/main/runs/2/delivered/1/after")
  })

  it("are read by their own run alone, whatever a task is called", () => {
    expect(parsePinRef(SECOND, pinRef(SECOND, ATTEMPT, "head"))).toMatchObject(ATTEMPT)
    for (const taskId of ["1", "base", "earlier", "nested", "workers", "runs", "2"]) {
      const ref = pinRef(SECOND, { taskId, attempt: 1 }, "head")
      expect(parsePinRef(FIRST, ref)).toBeUndefined()
      expect(parsePin(FIRST, ref, "c")).toBeUndefined()
      expect(parsePin(SECOND, ref, "c")).toMatchObject({ place: { task: taskId, attempt: 1 }, kind: "head" })
    }
  })

  it("keep a task that is called like a place of ours apart", () => {
    expect(taskRefs(FIRST, "runs")).toBe("refs/teamwork/shop/main/_runs")
    expect(taskOfRef("_runs")).toBe("runs")
  })
})
