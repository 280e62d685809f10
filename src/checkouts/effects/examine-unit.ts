import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { arch, platform } from "node:os"
import type { Processes } from "../../lib/process/process.ts"
import { readText } from "../../lib/read-files.ts"
import { planSetup, readInputs } from "../plan-setup.ts"
import type { Environment } from "../port.ts"
import { isPythonUnit, type SetupFiles, type SetupUnit, unitFolder } from "../setup-unit.ts"
import { diskFiles } from "./disk-files.ts"
import { isInstalled } from "./installed-state.ts"
import { makeToolIdentity } from "./tool-identity.ts"

/** Changing it invalidates the whole cache. */
const LAYOUT = 1

export interface ExaminedUnit {
  readonly unit: SetupUnit
  /** The same for the same installation. */
  readonly key: string
  /** A user's checkout with the same installation. */
  readonly source: string | undefined
}

interface ExaminePorts {
  readonly processes: Processes
  readonly env: Environment
  readonly userRoots: readonly string[]
}

export function makeExamineTree({ processes, env, userRoots }: ExaminePorts) {
  const identityOf = makeToolIdentity(processes)
  const userHas = (path: string) => userRoots.some((root) => existsSync(`${root}/${path}`))
  const examineUnit = async (unit: SetupUnit, files: SetupFiles): Promise<ExaminedUnit> => {
    const inputs = await readInputs(files, unit)
    const source = await findSource(userRoots, unit, inputs)
    const own = source !== undefined && isPythonUnit(unit) ? pythonOf(unit, source) : undefined
    const cwd = userRoots[0] ?? "/"
    const runtime = own ?? (unit.runtime === null ? "" : await identityOf(unit.runtime, env, cwd))
    const facts = [LAYOUT, unit.ecosystem, unit.places, unit.ways, inputs, platform(), arch(), runtime]
    return { unit, key: createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 40), source }
  }
  return async (files: SetupFiles): Promise<ExaminedUnit[]> => {
    const units = await planSetup(files, userHas)
    return Promise.all(units.map((unit) => examineUnit(unit, files)))
  }
}

async function findSource(roots: readonly string[], unit: SetupUnit, inputs: string): Promise<string | undefined> {
  for (const root of roots)
    if (isInstalled(unit, root) && (await readInputs(diskFiles(root), unit)) === inputs) return root
  return undefined
}

function pythonOf(unit: SetupUnit, root: string): string {
  const lines = readText(`${unitFolder(root, unit)}/${unit.places[0]}/pyvenv.cfg`).split("\n")
  return lines.filter((line) => /^(?:home|version|version_info)\s*=/.test(line)).join("\n")
}
