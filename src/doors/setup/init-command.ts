import { dirname } from "node:path"
import * as v from "valibot"
import { command, type Outcome } from "../../app/command.ts"
import { paintDiff, renderFileDiff } from "../../delivery/views/file-diff.ts"
import { choice, flag, list } from "../../lib/schema.ts"
import { manyLines } from "../../lib/text/table.ts"
import { INIT_HOSTS, type InitHost } from "./host-files.ts"
import { applyInit, type FileChange, planInit } from "./set-up-hosts.ts"

/** Claude Code has a plugin, which can do more than files in a repository. */
const WITHOUT_PLUGIN: readonly InitHost[] = ["codex", "gemini", "opencode"]

export const init = command({
  summary:
    "Set up agent programs in this repository: MCP server, hooks and what agents are told; shows the changes first",
  fields: {
    for: v.optional(
      list(
        choice(INIT_HOSTS, "agent program"),
        `agent programs: ${INIT_HOSTS.join(", ")}; by default all but claude, which has the plugin`,
        ",",
      ),
    ),
    remove: flag("take it out again; by default for all of them"),
    dryRun: flag("only show the changes"),
    yes: flag("write them without asking"),
  },
  positional: ["for"],
  example: "teamwork init --for codex,gemini",
  async run({ host, isJson }, input) {
    const isRemoval = input.remove === true
    const hosts = input.for ?? (isRemoval ? INIT_HOSTS : WITHOUT_PLUGIN)
    const root = dirname((await host.configuration.path()).repository)
    const changes = planInit({ root, hosts, isRemoval })
    const files = changes.map((each) => ({ path: each.path, change: wordFor(each), diff: showChange(each) }))
    const { io } = host
    const answer = (isWritten: boolean, said: string, more: Partial<Outcome> = {}): Outcome => ({
      data: { root, files, isWritten },
      text: () => said,
      ...more,
    })
    if (changes.length === 0)
      return answer(false, isRemoval ? "There is nothing to remove" : "Everything is set up already")
    const diff = files.map((each) => each.diff).join("\n")
    const shown = paintDiff(diff, io.color)
    if (input.dryRun === true) return answer(false, shown)
    if (input.yes !== true) {
      if (!io.canAsk || isJson) return answer(false, shown, { exitCode: 1, warnings: [NOT_WRITTEN] })
      io.out(shown)
      const said = (await io.ask("\nWrite this? [Y/n] "))?.trim().toLowerCase() ?? "n"
      if (!["", "y", "yes"].includes(said)) return answer(false, "Nothing was written")
    }
    applyInit(root, changes)
    const lines = files.map(({ path, change }) => `${change} ${path}`)
    return answer(true, [...lines, ...(isRemoval ? [] : notesFor(hosts, host.env.PATH))].join("\n"))
  },
})

const NOT_WRITTEN =
  "nothing was written, since there is no terminal to ask on; look at the changes and run it again with --yes"

/** Steps that only a person may do. */
const NOTES: Readonly<Partial<Record<InitHost, string>>> = {
  codex: "codex reads this in a trusted repository, and runs the hooks once you trust them there: /hooks",
  gemini: "gemini reads this in a trusted folder",
}

function notesFor(hosts: readonly InitHost[], path = ""): string[] {
  const hasProgram = Bun.which("teamwork", { PATH: path }) !== null
  const missing = "put teamwork on your PATH: these programs start it by its name"
  return [...(hasProgram ? [] : [missing]), ...hosts.flatMap((name) => NOTES[name] ?? [])]
}

function wordFor({ before, after }: FileChange): "created" | "changed" | "removed" {
  if (before === null) return "created"
  return after === null ? "removed" : "changed"
}

function showChange({ path, before, after }: FileChange): string {
  return manyLines(renderFileDiff(path, before?.toString("utf8") ?? null, after?.toString("utf8") ?? null))
}
