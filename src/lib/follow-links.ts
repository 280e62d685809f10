import { lstatSync, readlinkSync } from "node:fs"

/** As many as the system follows before it gives up. */
const MAX_LINKS = 40

/**
 * Resolves all links and `..` of a path, which need not exist. `from`: the folder that the path starts in, without links.
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
    // Below a missing folder nothing exists.
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

/** Checks the type first, because the error of `readlink` takes much longer. */
function look(path: string): Found {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return "nothing"
    return stats.isSymbolicLink() ? { target: readlinkSync(path) } : "other"
  } catch {
    // Not readable, or deleted meanwhile.
    return "other"
  }
}
