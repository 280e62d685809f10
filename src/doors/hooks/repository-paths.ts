import { findCheckout } from "../../lib/find-checkout.ts"
import { followLinks } from "../../lib/follow-links.ts"
import { resolvePath } from "../../lib/paths.ts"

/** Tells which file of a team's repository a path means. */
export interface RepositoryPaths {
  /** The folder of the repository that the session joined in. */
  readonly root: string
  /**
   * From the root of the checkout that it lies in, the session's own or another one of the repository; empty for that
   * root. Undefined for what is no part of the repository. Twice where it depends on who works out `link/../x`.
   */
  pathsOf(file: string): readonly (string | undefined)[]
}

/** `folder` is where the session joined; what a tool is given counts from `cwd`. */
export function repositoryPaths(place: {
  readonly folder: string
  readonly cwd: string
  readonly userHome: string
}): RepositoryPaths {
  const { folder, cwd, userHome } = place
  const from = followLinks(folder)
  const home = findCheckout(from) ?? { root: from, commonDir: undefined }
  const inside = (path: string): string | undefined => {
    const real = followLinks(path)
    const own = findCheckout(real)
    // A repository inside of the repository is a part of it; another checkout of it is one for itself.
    const root = own !== undefined && own.commonDir === home.commonDir ? own.root : home.root
    if (real === root) return ""
    return real.startsWith(`${root}/`) ? real.slice(root.length + 1) : undefined
  }
  return {
    root: home.root,
    pathsOf(file) {
      const given = file.startsWith("/")
        ? file
        : file.startsWith("~/")
          ? `${userHome}${file.slice(1)}`
          : `${cwd}/${file}`
      const resolved = resolvePath(given)
      return given === resolved ? [inside(given)] : [inside(given), inside(resolved)]
    },
  }
}
