import { command } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { flag, text } from "../../lib/schema.ts"
import { nearest } from "../../lib/text/nearest.ts"
import { table } from "../../lib/text/table.ts"

const key = text("name of the setting, as team.maxAgents")
const repository = flag("in the repository's teamwork.json instead of the home's config.json")
const scopeOf = (input: Record<string, unknown>) => (input.repository === true ? "repository" : "home")

export const configList = command({
  summary: "Show every setting with where its value came from",
  fields: {},
  async run({ host, flags }) {
    const { settings, warnings } = await host.configuration.list(flags)
    const columns = [{ title: "KEY" }, { title: "VALUE", flexible: true }, { title: "FROM", flexible: true }]
    const rows = settings.map(({ key, value, origin, where }) => [
      key,
      show(value),
      origin === "default" ? "default" : `${origin}, ${where}`,
    ])
    return { data: settings, text: (screen) => table(columns, rows, screen), warnings }
  },
})

export const configGet = command({
  summary: "Show one setting",
  fields: { key },
  positional: ["key"],
  example: "teamwork config get team.maxAgents",
  async run({ host, flags }, input) {
    const { settings } = await host.configuration.list(flags)
    const setting = settings.find((each) => each.key === input.key)
    if (setting !== undefined) return { data: setting, text: () => show(setting.value) }
    const close = nearest(
      input.key,
      settings.map((each) => each.key),
    )
    throw new AppError(
      "config.unknown_key",
      `unknown key ${input.key}${close === undefined ? "" : `; did you mean ${close}?`}`,
    )
  },
})

export const configSet = command({
  summary: "Set a value in the home's or the repository's file",
  fields: { key, value: text("new value; lists as a,b"), repository },
  positional: ["key", "value"],
  example: "teamwork config set team.maxAgents 3",
  async run({ host }, input) {
    const done = await host.configuration.set(scopeOf(input), input.key, input.value)
    return { data: done, text: () => `${done.changed ? "Set" : "Already set"} ${input.key} in ${done.file}` }
  },
})

export const configUnset = command({
  summary: "Remove a value from the home's or the repository's file",
  fields: { key, repository },
  positional: ["key"],
  example: "teamwork config unset team.maxAgents",
  async run({ host }, input) {
    const done = await host.configuration.unset(scopeOf(input), input.key)
    return {
      data: done,
      text: () => (done.changed ? `Removed ${input.key} from ${done.file}` : `${input.key} is not set in ${done.file}`),
    }
  },
})

export const configPath = command({
  summary: "Show where the two files are",
  fields: {},
  async run({ host }) {
    const paths = await host.configuration.path()
    return { data: paths, text: () => `home        ${paths.home}\nrepository  ${paths.repository}` }
  },
})

export const configSchema = command({
  summary: "Print the JSON Schema of the files",
  fields: {},
  async run({ host }) {
    const schema = await host.configuration.schema()
    return { data: schema, text: () => JSON.stringify(schema, null, 2), keepsNames: true, isDocument: true }
  },
})

function show(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value)
}
