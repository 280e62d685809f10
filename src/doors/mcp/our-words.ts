import { kebab } from "../cli/flags.ts"

/**
 * What operations and commands say, for somebody who calls a tool: they name fields as flags, and tools have other names
 * for them. What follows `teamwork` is a command line and stays one.
 */
export function inOurWords(text: string, names: ReadonlyMap<string, string>): string {
  const flags = new Map([...names].map(([wire, field]) => [`--${kebab(field)}`, wire]))
  const at = text.indexOf("teamwork ")
  const [before, after] = at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at)]
  return before.replaceAll(/--[a-z][a-z0-9-]*/g, (flag) => flags.get(flag) ?? flag) + after
}
