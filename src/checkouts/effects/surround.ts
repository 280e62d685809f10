import { existsSync } from "node:fs"
import type { Environment } from "../port.ts"
import { isIn, listEditableFolders, realFolder } from "./editable-installs.ts"
import type { PortRange } from "./reserve-ports.ts"

export interface Surroundings {
  readonly folder: string
  /** Default: the top of the checkout. */
  readonly inside?: string
  /** Programs must find nothing of these. */
  readonly userRoots: readonly string[]
  readonly ports: PortRange | undefined
}

const ENVIRONMENTS = [".venv", "venv"]

export function surround<E extends Environment>(env: E, place: Surroundings): E {
  const { folder, inside = folder, userRoots, ports } = place
  const roots = userRoots.filter((root) => root !== folder)
  const isUsers = (path: string) => roots.some((root) => isIn(path, root)) && !isIn(path, folder)
  const here = (path: string) => {
    const root = roots.find((each) => isIn(path, each))
    return root === undefined || isIn(path, folder) ? path : `${folder}${path.slice(root.length)}`
  }
  const changed: Record<string, string | undefined> = { ...env }
  const programs = (env.PATH ?? "").split(":").filter((entry) => entry !== "" && !isUsers(entry))
  const found = [inside, folder]
    .flatMap((each) => ENVIRONMENTS.map((name) => `${each}/${name}`))
    .find((each) => existsSync(`${each}/bin/python`))
  if (found !== undefined) changed.VIRTUAL_ENV = found
  else if (env.VIRTUAL_ENV !== undefined && isUsers(env.VIRTUAL_ENV)) delete changed.VIRTUAL_ENV
  if (env.PATH !== undefined || found !== undefined)
    changed.PATH = [...(found === undefined ? [] : [`${found}/bin`]), ...programs].join(":")
  for (const name of ["PYTHONPATH", "NODE_PATH"])
    if (env[name] !== undefined) changed[name] = env[name].split(":").map(here).join(":")
  // The checkout's own environment has its own paths; any other may still lead to the user's checkout.
  const editable = found !== undefined || roots.length === 0 ? [] : listEditableFolders(changed, programs)
  const instead = [...new Set([...editable, ...editable.map(realFolder)].filter(isUsers).map(here))]
  if (instead.length > 0)
    changed.PYTHONPATH = [...instead, ...(changed.PYTHONPATH === undefined ? [] : [changed.PYTHONPATH])].join(":")
  if (found !== undefined) delete changed.PYTHONHOME
  if (ports !== undefined) {
    changed.TEAMWORK_PORT = String(ports.first)
    changed.TEAMWORK_PORT_END = String(ports.last)
  }
  return changed as E
}
