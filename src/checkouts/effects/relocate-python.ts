import { lstatSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { namesIn } from "./editable-installs.ts"

/** Every system accepts first lines of this length; a longer one goes through the shell. */
const LONGEST_SHEBANG = 127
const MAX_BYTES = 4_000_000

/** Replaces the old path in settings, in first lines of programs and in editable installs. */
export function relocatePython(
  environment: string,
  { from, to }: { readonly from: string; readonly to: string },
): void {
  const move = (text: string) => replacePath(text, from, to)
  for (const file of filesToRewrite(environment)) {
    const stat = lstatSync(file)
    if (stat.isSymbolicLink()) {
      const link = readlinkSync(file)
      if (move(link) === link) continue
      rmSync(file)
      symlinkSync(move(link), file)
    } else if (stat.isFile() && stat.size <= MAX_BYTES) {
      // As bytes: a program need not be text.
      const text = readFileSync(file, "latin1")
      if (text.includes("\0")) continue
      const [first = "", rest] = splitFirst(text)
      const moved = first.startsWith("#!") ? `${shebang(move(first))}${move(rest)}` : move(text)
      if (moved !== text) writeFileSync(file, Buffer.from(moved, "latin1"), { mode: stat.mode & 0o777 })
    }
  }
}

/** Files that still mention the old checkout. */
export function findMentions(environment: string, root: string): string[] {
  const pattern = pathPattern(root)
  return filesToRewrite(environment).filter((file) => {
    const stat = lstatSync(file)
    if (stat.isSymbolicLink()) return pattern.test(readlinkSync(file))
    return stat.isFile() && stat.size <= MAX_BYTES && pattern.test(readFileSync(file, "latin1"))
  })
}

/** Where tools write paths: settings, programs and package metadata. */
function filesToRewrite(environment: string): string[] {
  const bin = namesIn(`${environment}/bin`).map((name) => `${environment}/bin/${name}`)
  const libraries = namesIn(`${environment}/lib`).filter((name) => name.startsWith("python"))
  const packages = libraries.flatMap((name) => {
    const site = `${environment}/lib/${name}/site-packages`
    return namesIn(site).flatMap((entry) => {
      if (/\.(?:pth|egg-link)$|^__editable__/.test(entry)) return [`${site}/${entry}`]
      if (!entry.endsWith(".dist-info") && !entry.endsWith(".egg-info")) return []
      const notes = namesIn(`${site}/${entry}`).filter((note) => ["direct_url.json", "RECORD"].includes(note))
      return notes.map((note) => `${site}/${entry}/${note}`)
    })
  })
  return [`${environment}/pyvenv.cfg`, ...bin, ...packages].filter(
    (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
  )
}

/** Must not match a sibling folder with a longer name. */
function pathPattern(path: string): RegExp {
  return new RegExp(`${path.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w.-])`, "g")
}

function replacePath(text: string, from: string, to: string): string {
  const latin = (path: string) => Buffer.from(path, "utf8").toString("latin1")
  const replaced = text.replaceAll(pathPattern(latin(from)), () => latin(to))
  // In URLs such as file:///home/me/my%20project.
  const [fromUrl, toUrl] = [encodeURI(from), encodeURI(to)]
  return fromUrl === from ? replaced : replaced.replaceAll(pathPattern(fromUrl), () => toUrl)
}

function splitFirst(text: string): [string, string] {
  const end = text.indexOf("\n")
  return end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end)]
}

function shebang(line: string): string {
  if (line.length <= LONGEST_SHEBANG && !line.slice(2).trim().includes(" ")) return line
  return `#!/bin/sh\n'''exec' "${line.slice(2).trim()}" "$0" "$@"\n' '''`
}
