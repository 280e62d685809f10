import { readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs"
import { relative } from "node:path"
import { dirname, resolvePath } from "../../lib/paths.ts"

interface LinkPlaces {
  readonly copy: string
  readonly original: string
  /** Checkout of the original, which links may lead into. */
  readonly root: string
}

/**
 * Makes absolute links inside of the checkout relative, so that they work in another one. Returns the first link
 * that leads out: through it an agent could write to other files.
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
