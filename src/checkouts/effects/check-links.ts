import { readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { relative } from "node:path"
import { dirname, resolvePath } from "../../lib/paths.ts"

interface LinkPlaces {
  /** The copy that is looked at. */
  readonly copy: string
  /** What it was copied from. */
  readonly original: string
  /** The checkout around that: links may lead anywhere inside of it, and mean the same in another checkout. */
  readonly root: string
}

/**
 * Links that lead to absolute places inside of the checkout become relative, so that in another checkout they lead there.
 * The first link that leads out of it, or undefined: through that one an agent could write into something else.
 */
export function settleLinks({ copy, original, root }: LinkPlaces): string | undefined {
  const visit = (inside: string): string | undefined => {
    for (const entry of readdirSync(`${copy}${inside}`, { withFileTypes: true })) {
      const path = `${inside}/${entry.name}`
      if (entry.isDirectory()) {
        const found = visit(path)
        if (found !== undefined) return found
      } else if (entry.isSymbolicLink()) {
        const link = readlinkSync(`${copy}${path}`)
        const target = resolvePath(link, dirname(`${original}${path}`))
        if (target !== root && !target.startsWith(`${root}/`)) return path.slice(1)
        if (!link.startsWith("/")) continue
        rmSync(`${copy}${path}`)
        symlinkSync(relative(dirname(`${original}${path}`), target), `${copy}${path}`)
      }
    }
    return undefined
  }
  return visit("")
}
