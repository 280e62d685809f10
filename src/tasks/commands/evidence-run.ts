import * as v from "valibot"
import { command } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { resolvePath } from "../../lib/paths.ts"
import { list, number, text } from "../../lib/schema.ts"
import { oneLine } from "../../lib/text/table.ts"
import { ownerField, taskIdField, teamFields, textField, tokenField } from "../../store/operation.ts"
import { runEvidence } from "../effects/run-evidence.ts"

const input = {
  ...teamFields,
  id: taskIdField,
  owner: v.optional(ownerField),
  token: v.optional(tokenField),
  workingDirectory: v.optional(textField("the folder it runs in; the current one when left out", 4096)),
  timeout: v.optional(number("seconds the command may take", { min: 0.1, max: 86_400 }), 1800),
  command: v.optional(list(text("command and its arguments"), "command and its arguments"), []),
}

export const evidenceRun = command({
  summary: "Run a command and record what it did, as attested evidence",
  fields: input,
  positional: ["id"],
  takesRest: "command",
  example: "teamwork evidence run --id 3 --owner w1 -- npm test",
  async run({ host, context }, { id, timeout, workingDirectory, ...rest }) {
    if (rest.command.length === 0)
      throw new AppError(
        "usage",
        "no command is named",
        {},
        { remedy: { operation: "evidence run", fields: { id, command: ["npm", "test"] }, to: "name one, as in" } },
      )
    const cwd = resolvePath(workingDirectory ?? ".", host.io.cwd)
    // 4 ms to load, for a flag that few calls have.
    if (workingDirectory !== undefined) (await import("../../agents/jobs/start-job.ts")).checkWorkspace(cwd)
    const evidence = await runEvidence(await context(), host.processes, {
      ...rest,
      taskId: id,
      cwd,
      env: host.env,
      timeoutMs: timeout * 1000,
      signal: host.io.interrupted,
      onOutput: (chunk) => host.io.errBytes(chunk),
    })
    const { exitCode } = evidence.facts
    return {
      data: evidence,
      text: () =>
        `Evidence ${evidence.number} of task ${id}: ${oneLine(evidence.facts.command ?? "")} exited with ${exitCode}`,
      exitCode: exitCode === 0 ? 0 : 1,
    }
  },
})
