import * as v from "valibot"
import { command } from "../../app/command.ts"
import { sourceDirField, toolsOf } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import { described, type Fields, flag, type InputOf, number } from "../../lib/schema.ts"
import { runFields, taskIdField, textField, workerIdField } from "../../store/operation.ts"
import type { ListedPin } from "../swarm/worktrees.ts"
import { renderPins, shortCommit } from "../views/workspace-view.ts"

const placeFields = {
  ...runFields,
  task: v.optional(taskIdField),
  workerId: v.optional(described(workerIdField, "what this worker left without a task")),
  sourceDir: sourceDirField,
} satisfies Fields

const refsFields = {
  ...placeFields,
  prune: flag("forget what the current branch contains, as git says"),
  purge: flag("forget everything of the named task or worker, contained or not"),
} satisfies Fields

export const refs = command({
  summary: "List the pinned work of every attempt; forget it once it is contained, or by name",
  fields: refsFields,
  positional: ["task"],
  example: "teamwork refs --task 3",
  async run(session, input) {
    const isNamed = input.task !== undefined || input.workerId !== undefined
    if (input.purge === true && !isNamed)
      throw new AppError(
        "usage",
        (say) =>
          `${say.field("purge")} forgets work for good: name it with ${say.field("task")} or ${say.field("workerId")}`,
      )
    const { pins } = await toolsOf(session, input)
    const listed = ofPlace(await pins.list(), input)
    const forgotten = input.purge === true ? listed : input.prune === true ? contained(listed) : []
    await pins.purge(forgotten)
    const left = listed.filter((pin) => !forgotten.includes(pin))
    const isCleaning = input.purge === true || input.prune === true
    return {
      data: isCleaning ? { forgotten, left } : listed,
      text: (screen) =>
        isCleaning
          ? [...forgotten.map((pin) => `Forgot ${pin.ref} (${pin.commit})`), renderPins(left, screen)].join("\n")
          : renderPins(listed, screen),
    }
  },
})

function ofPlace(pins: readonly ListedPin[], { task, workerId }: InputOf<typeof placeFields>): ListedPin[] {
  if (task === undefined && workerId === undefined) return [...pins]
  return pins.filter(({ place }) => ("task" in place ? place.task === task : place.worker === workerId))
}

/** A base stays as long as anything of its attempt stays. */
function contained(pins: readonly ListedPin[]): ListedPin[] {
  const folder = (pin: ListedPin) => pin.ref.slice(0, pin.ref.length - pin.kind.length)
  const open = new Set(pins.filter((pin) => !pin.isContained).map(folder))
  return pins.filter((pin) => pin.isContained && !(pin.kind === "base" && open.has(folder(pin))))
}

const recoverFields = {
  ...placeFields,
  attempt: v.optional(number("which attempt, or time of a worker; the last by default", { min: 1, isInteger: true })),
  kind: v.optional(textField("head, leftovers, aside, base or another kind that 'refs' lists; head by default")),
  branch: v.optional(textField("name of the branch to make; recovered/<task>-<attempt> by default")),
} satisfies Fields

export const recover = command({
  summary: "Make a branch of pinned work",
  fields: recoverFields,
  positional: ["task"],
  example: "teamwork recover 3 --kind leftovers",
  async run(session, input) {
    const place = input.task ?? input.workerId
    if ((input.task === undefined) === (input.workerId === undefined) || place === undefined)
      throw new AppError(
        "usage",
        (say) =>
          `name the task whose work is wanted with ${say.field("task")}, or the worker with ${say.field("workerId")}`,
      )
    const { pins } = await toolsOf(session, input)
    const pin = choose(ofPlace(await pins.list(), input), input)
    if (pin === undefined) {
      const wanted = [
        input.attempt === undefined ? "" : ` ${input.attempt}`,
        input.kind === undefined ? "" : ` (${input.kind})`,
      ]
      throw new AppError(
        "pin.not_found",
        `nothing is pinned of ${place}${wanted.join("")}`,
        { place },
        { remedy: { operation: "refs", to: "see" } },
      )
    }
    const suffix = pin.kind === "head" ? "" : `-${pin.kind.replaceAll("/", "-")}`
    const branch = input.branch ?? `recovered/${place}-${pin.number}${suffix}`
    await pins.recover(pin, branch)
    return {
      data: { branch, ...pin },
      text: () => `Branch ${branch} is at ${shortCommit(pin.commit)}: ${pin.subject}`,
    }
  },
})

/** The last attempt with the kind; by default the head, or whatever exists. */
function choose(
  pins: readonly ListedPin[],
  { attempt, kind }: { readonly attempt?: number; readonly kind?: string },
): ListedPin | undefined {
  const meant = pins
    .filter((pin) => (attempt === undefined || pin.number === attempt) && (kind === undefined || pin.kind === kind))
    .toSorted((a, b) => b.number - a.number)
  const last = meant.filter((pin) => pin.number === meant[0]?.number)
  return last.find((pin) => pin.kind === "head") ?? last[0]
}
