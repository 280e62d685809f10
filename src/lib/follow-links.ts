import { lstatSync, readlinkSync } from "node:fs"

/** As many as the system follows before it gives up. */
const MAX_LINKS = 40

/**
 * Where a path leads, also one that does not exist yet: every link is followed, `..` means what lies above. It counts from
 * the root, or from a place whose links were followed already.
 */
export function followLinks(path: string, from = "/"): string {
  const todo = path.split("/").reverse()
  let place = from === "/" ? "" : from
  let links = 0
  let isMissing = false
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === "" || part === ".") continue
    if (part === "..") {
      place = place.slice(0, Math.max(0, place.lastIndexOf("/")))
      isMissing = false
      continue
    }
    const here = `${place}/${part}`
    // Below what is not there nothing is.
    const found: Found | undefined = isMissing || links >= MAX_LINKS ? undefined : look(here)
    isMissing ||= found === "nothing"
    if (typeof found !== "object") {
      place = here
      continue
    }
    links++
    if (found.target.startsWith("/")) place = ""
    todo.push(...found.target.split("/").reverse())
  }
  return place === "" ? "/" : place
}

type Found = { readonly target: string } | "other" | "nothing"

/** Asked first what it is: to be told by an error that it is no link takes much longer. */
function look(path: string): Found {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return "nothing"
    return stats.isSymbolicLink() ? { target: readlinkSync(path) } : "other"
  } catch {
    // It may not be looked at, or is gone meanwhile.
    return "other"
  }
}
