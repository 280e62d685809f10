/** Absolute paths without `node:path`, whose loading takes longer than the rest of a hook. */
export function dirname(path: string): string {
  const slash = path.lastIndexOf("/")
  return slash <= 0 ? "/" : path.slice(0, slash)
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}

/** The absolute path that `path` means in `folder`; `.` and `..` are worked out. */
export function resolvePath(path: string, folder = process.cwd()): string {
  const parts: string[] = []
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return `/${parts.join("/")}`
}
