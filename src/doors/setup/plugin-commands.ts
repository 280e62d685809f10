import * as v from "valibot"
import { command, type Outcome, type Session } from "../../app/command.ts"
import { commandOf } from "../../app/config/agent-settings.ts"
import { choice, flag } from "../../lib/schema.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { ensurePluginFolder } from "./plugin-folder.ts"
import { askClaude, installSteps, PLUGIN_SCOPES, type PluginScope, removeSteps } from "./set-up-claude.ts"

const fields = {
  scope: v.optional(choice(PLUGIN_SCOPES, "for you, or for everybody who works in this repository"), "user"),
  dryRun: flag("only show what would be run"),
}

export const pluginInstall = command({
  summary: "Set up the plugin in Claude Code, by its own commands; again after an update of teamwork",
  fields,
  example: "teamwork plugin install",
  async run(session, input) {
    const scope = input.scope
    const folder = await findFolder(session)
    return carryOut(session, installSteps(folder, scope), {
      scope,
      isDry: input.dryRun === true,
      done: `Installed the plugin from ${folder}; sessions that start from now on have it`,
    })
  },
})

export const pluginRemove = command({
  summary: "Take the plugin out of Claude Code",
  fields,
  async run(session, input) {
    const scope = input.scope
    const done = "Removed the plugin; sessions that run keep it until they end"
    return carryOut(session, removeSteps(scope), { scope, isDry: input.dryRun === true, done })
  },
})

export const pluginPath = command({
  summary: "Show the folder of the plugin, for claude --plugin-dir",
  fields: {},
  async run(session) {
    const folder = await findFolder(session)
    return { data: { folder }, text: () => folder, isDocument: true }
  },
})

async function findFolder({ configured, host }: Session): Promise<string> {
  return ensurePluginFolder((await configured()).home, host.self)
}

interface Plan {
  readonly scope: PluginScope
  readonly isDry: boolean
  readonly done: string
}

async function carryOut(
  { host, flags }: Session,
  steps: ReturnType<typeof removeSteps>,
  { scope, isDry, done }: Plan,
): Promise<Outcome> {
  const { settings } = await host.configuration.list(flags)
  const own = settings.find(({ key }) => key === "agents.claude.command")?.value
  const command = commandOf(own, "agents.claude.command") ?? ["claude"]
  const commands = steps.map((step) => [...command, ...step].map(quoteArgument).join(" "))
  const { processes, env } = host
  if (!isDry) await askClaude({ processes, command, cwd: host.io.cwd, env }, steps)
  return { data: { scope, dryRun: isDry, commands }, text: () => (isDry ? commands.join("\n") : done) }
}
