import { judgeWrite } from "../../domain/judge-write.ts"
import type { OwnedFiles } from "../../domain/owned-files.ts"
import { text } from "../../lib/fields.ts"
import { followLinks } from "../../lib/follow-links.ts"
import type { Command } from "./command.ts"

/** What agents take for a denial, with the reason on standard error. */
const DENIED = 2

export const agentJudge: Command = {
  summary: "Say whether an agent may use a tool, as its hook before each use; not for people",
  fields: { ownership: text("the file that says who owns what; the use of the tool comes on standard input") },
  positional: ["ownership"],
  async run({ host }, input) {
    const owned: OwnedFiles = await Bun.file(String(input.ownership)).json()
    const use = JSON.parse(await host.io.input())
    const call = { tool: String(use.tool_name), input: use.tool_input ?? {} }
    const objection = judgeWrite(call, owned, followLinks)
    if (objection === undefined) return { data: null, silent: true }
    host.io.err(objection)
    return { data: null, silent: true, exitCode: DENIED }
  },
}
