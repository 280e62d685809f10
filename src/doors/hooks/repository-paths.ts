import { findCheckout } from "../../lib/find-checkout.ts"
import { followLinks } from "../../lib/follow-links.ts"
import { resolvePath } from "../../lib/paths.ts"

export interface RepositoryPaths {
  /**
   * Relative to the root of the checkout that has the file: the session's own or another one of the repository.
   * Empty for the root, undefined outside the repository. Two paths where programs resolve `link/../x` differently.
   */
  pathsOf(file: string): readonly (string | undefined)[]
}

/** `folder` is where the session joined; tool paths are relative to `cwd`. */
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
    // A nested repository is a part of this one. Another checkout has its own root.
    const root = own !== undefined && own.commonDir === home.commonDir ? own.root : home.root
    if (real === root) return ""
    return real.startsWith(`${root}/`) ? real.slice(root.length + 1) : undefined
  }
  return {
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
