/**
 * An agent is a program (`claude`) or a further account of it: a profile with its own config folder
 * (`claude@work`). Rate limits, faults and routes belong to the account and use the whole name. Models, prices,
 * hooks and the rule that another program reviews belong to the program and use `programOf`.
 */
export function programOf(agent: string): string {
  const at = agent.indexOf("@")
  return at === -1 ? agent : agent.slice(0, at)
}

/** Null for the program's own config folder. */
export function profileOf(agent: string): string | null {
  const at = agent.indexOf("@")
  return at === -1 ? null : agent.slice(at + 1)
}

export function agentNameOf(program: string, profile: string | null): string {
  return profile === null ? program : `${program}@${profile}`
}
