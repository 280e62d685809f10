import * as v from "valibot"
import { AppError } from "../../kernel/errors.ts"
import { flag } from "../../lib/schema.ts"
import { idField, operation, roleField, teamFields } from "../../store/operation.ts"
import type { LoopState } from "../loop-state.ts"

/** A loop that finds no state must end. */
export const loopState = operation({
  name: "loop-state",
  summary: "Get, start or clear the worker loop of this terminal",
  input: {
    ...teamFields,
    get: flag("show it"),
    start: flag("start a loop for this project, team and role"),
    clear: flag("end the loop"),
    role: v.optional(roleField),
    terminalId: idField("which terminal; this one by default"),
  },
  async run({ store }, input): Promise<LoopState | { active: false; cleared?: boolean }> {
    const asked = [input.get, input.start, input.clear].filter((each) => each === true).length
    if (asked !== 1) {
      throw new AppError(
        "usage",
        (say) => `use one of ${say.field("get")}, ${say.field("start")} and ${say.field("clear")}`,
      )
    }
    const { terminalId, project, team } = input
    if (input.start === true) {
      return store.write((tx) => tx.loops.put({ active: true, project, team, role: input.role ?? null, terminalId }))
    }
    if (input.clear === true) return { active: false, cleared: await store.write((tx) => tx.loops.remove(terminalId)) }
    return (await store.read((tx) => tx.loops.find(terminalId))) ?? { active: false }
  },
})
