const PREFIX = "person-"

/** The name under which a person holds a task that `teamwork open` gave them. */
export function personsName(user: string): string {
  const safe = user.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "")
  return `${PREFIX}${safe.slice(0, 40) || "user"}`
}

export function isPersonsClaim(owner: string): boolean {
  return owner.startsWith(PREFIX)
}
