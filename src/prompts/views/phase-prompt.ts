import type { Phase } from "../../kernel/phase.ts"
import { manyLines } from "../../lib/text/table.ts"

type Planned = Extract<Phase, "skill_discovery" | "requirement" | "skill_research" | "plan_design">

const ASKED: Readonly<Record<Planned, string>> = {
  skill_discovery:
    "PHASE 1 OF 4, DISCOVERY. Find out which skills, tools and files of this repository help with the task. Answer with a short list: each with what it is good for here.",
  requirement:
    "PHASE 2 OF 4, UNDERSTANDING. Say in your own words what the task asks for, what it does not ask for, and what is unclear. Answer with that alone.",
  skill_research:
    "PHASE 3 OF 4, RESEARCH. Read what you need in order to plan: the code concerned, its tests, its rules. Answer with what the plan must consider.",
  plan_design:
    "PHASE 4 OF 4, PLAN. Answer with your plan: the files you will change and how, the tests you will add, how you will know that it is done, and what could go wrong. It will be approved or rejected before you may write.",
}

export function isPlanned(phase: Phase): phase is Planned {
  return phase in ASKED
}

/** Before the agent may write; `rejection` is why its plan was not approved. */
export function phasePrompt(phase: Planned, rejection: string | null): string {
  const again =
    rejection === null
      ? ""
      : `\n\nYOUR PLAN WAS REJECTED:\n\n${manyLines(rejection)}\n\nMake another one that takes this into account.`
  return `${ASKED[phase]}${again}\n\nYou may read, search and run what changes nothing. Do not write any file yet: changes before the approval are set aside.`
}

export function approvedPrompt({ plan, note }: { readonly plan: string; readonly note: string | null }): string {
  const mind = note === null ? "" : `\n\nNote:\n\n${manyLines(note)}`
  return `YOUR PLAN IS APPROVED. You may write now: carry it out, run the checks, and end with what you changed.\n\nThe plan:\n\n${manyLines(plan)}${mind}`
}
