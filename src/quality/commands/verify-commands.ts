import * as v from "valibot"
import { command, type Outcome, type Session } from "../../app/command.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { verifierFor } from "../../app/wiring/verifier-for.ts"
import { flag, number, text } from "../../lib/schema.ts"
import { ownerField, taskIdField, teamFields, tokenField } from "../../store/operation.ts"
import type { Verdict } from "../verdict.ts"
import { verifyTask } from "../verify/verify-task.ts"
import { verifyFinal, verifyProject, verifyWave } from "../verify/verify-team.ts"
import { renderVerdict } from "../views/verdict-view.ts"

const revision = (description: string) =>
  v.optional(text(description, (value) => (/^$|\0/.test(value) ? "is no name of a commit" : undefined)))

const again = flag("run every command, also those that ran on this very tree before")
const merged = revision("what to judge; by default the integration branch, else what is checked out here")
const since = revision("where the run started; by default where the first of its tasks did")

const taskInput = {
  ...teamFields,
  id: taskIdField,
  commit: revision("what to judge; by default what is checked out here"),
  base: revision(
    "where the task started; by default what was pinned or where the worktree started, or where it left the integration branch since",
  ),
  owner: v.optional(ownerField),
  token: v.optional(tokenField),
  again,
}
const waveInput = {
  ...teamFields,
  wave: number("number of the wave", { isInteger: true, min: 1 }),
  commit: merged,
  again,
}
const finalInput = { ...teamFields, commit: merged, base: since, again }

/** Gates run commands of the repository; a person agrees to that once. */
async function trustedVerifier(session: Session, input: { readonly again?: boolean }) {
  await trustHere(session, { folder: session.host.io.cwd })
  return verifierFor(session, input)
}

export const verifyTaskCommand = command({
  summary: "Judge a task's committed work: acceptance commands, changes, evidence",
  fields: taskInput,
  positional: ["id"],
  example: "teamwork verify task 3 --owner w1",
  async run(session, { id, ...input }) {
    return told(await verifyTask(await trustedVerifier(session, input), { ...input, taskId: id }))
  },
})

export const verifyWaveCommand = command({
  summary: "Judge the merged work of a wave: all resolved, conflicts, build, lint, tests",
  fields: waveInput,
  positional: ["wave"],
  example: "teamwork verify wave 1",
  async run(session, input) {
    return told(await verifyWave(await trustedVerifier(session, input), input))
  },
})

export const verifyFinalCommand = command({
  summary: "Judge everything: build, lint, tests, all that was added, the evidence of every task",
  fields: finalInput,
  example: "teamwork verify final --base main",
  async run(session, input) {
    return told(await verifyFinal(await trustedVerifier(session, input), input))
  },
})

export const projectVerify = command({
  summary: "Judge what is due: the current wave, or everything once all waves are verified",
  fields: finalInput,
  example: "teamwork project verify",
  async run(session, input) {
    return told(await verifyProject(await trustedVerifier(session, input), input))
  },
})

function told(verdict: Verdict): Outcome {
  return {
    data: verdict,
    text: (screen) => renderVerdict(verdict, screen),
    exitCode: verdict.status === "failed" ? 1 : 0,
  }
}
