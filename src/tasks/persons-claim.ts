const PREFIX = "person-"

/** Owner of a task taken with `teamwork open`. */
export function personsName(user: string): string {
  const safe = user.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|-+$/g, "")
  return `${PREFIX}${safe.slice(0, 40) || "user"}`
}

export function isPersonsClaim(owner: string): boolean {
  return owner.startsWith(PREFIX)
}
