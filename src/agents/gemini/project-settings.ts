import { isTable, parseTable } from "../account.ts"
import type { ServerProgram } from "../project-setup.ts"

export const PROJECT_SETTINGS = ".gemini/settings.json"

/** Gemini CLI reads this file even where `.env` is ignored. */
export const PROJECT_VARIABLES = ".gemini/.env"

/** They start no program, change no permission and send nothing. */
const HARMLESS = new Set(["$schema", "context", "ui", "model", "privacy"])
/** They start programs, which need a person's consent. Our guard runs beside such hooks, and one denial is enough. */
const AGREED = new Set(["mcpServers", "hooks"])

/** The whole file, for a person's consent; undefined where it starts nothing. */
export function settingsProgram(text: string | undefined): ServerProgram | undefined {
  if (text === undefined || Object.keys(parseTable(text)).every((key) => HARMLESS.has(key))) return undefined
  return { what: "settings of Gemini CLI", line: PROJECT_SETTINGS, from: PROJECT_SETTINGS, script: text.trim() }
}

/**
 * Gemini CLI reads these settings of a project before ours, so they could run programs, switch off our guard or
 * allow tools. Undefined when it may start.
 */
export function problemWithSettings(
  text: string | undefined,
  isAgreed: (program: ServerProgram) => boolean,
): string | undefined {
  const program = settingsProgram(text)
  if (program === undefined) return undefined
  const settings = parseTable(text)
  const hooks = isTable(settings.hooks) ? settings.hooks : {}
  const refused = [
    ...Object.keys(settings).filter((key) => !HARMLESS.has(key) && !AGREED.has(key)),
    ...Object.keys(hooks).flatMap((key) => (/^[A-Z]/.test(key) ? [] : [`hooks.${key}`])),
  ]
  if (refused.length > 0)
    return `${PROJECT_SETTINGS} sets ${refused.join(", ")}, which could change what Gemini CLI may do; use another agent or remove it`
  return isAgreed(program)
    ? undefined
    : `${PROJECT_SETTINGS} starts programs that no person agreed to; see and agree with: teamwork trust`
}
