/**
 * An agent is a program (`claude`) or a second account of one: a profile with a config folder of its own, named
 * `program@profile` (`claude@work`). Whatever belongs to an account (rate limits, faults, routes) is keyed by the whole
 * name; whatever belongs to the program (models, prices, hooks, "another program reviews") by `programOf`.
 */
export function programOf(agent: string): string {
  const at = agent.indexOf("@")
  return at === -1 ? agent : agent.slice(0, at)
}

/** The name of the profile; null for the program's own config folder. */
export function profileOf(agent: string): string | null {
  const at = agent.indexOf("@")
  return at === -1 ? null : agent.slice(at + 1)
}

export function agentNameOf(program: string, profile: string | null): string {
  return profile === null ? program : `${program}@${profile}`
}
