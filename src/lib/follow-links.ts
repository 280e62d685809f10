import { readlinkSync } from "node:fs"

/** As many as the system follows before it gives up. */
const MAX_LINKS = 40

/** Where an absolute path leads, also one that does not exist yet: every link is followed, `..` means what lies above. */
export function followLinks(path: string): string {
  const todo = path.split("/").reverse()
  let place = ""
  let links = 0
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === "" || part === ".") continue
    if (part === "..") {
      place = place.slice(0, Math.max(0, place.lastIndexOf("/")))
      continue
    }
    const here = `${place}/${part}`
    const target = links < MAX_LINKS ? readLink(here) : undefined
    if (target === undefined) {
      place = here
      continue
    }
    links++
    if (target.startsWith("/")) place = ""
    todo.push(...target.split("/").reverse())
  }
  return place === "" ? "/" : place
}

/** Undefined for what is no link or not there. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
