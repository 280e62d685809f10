import { findNeededIgnored } from "../needed-ignored.ts"
import { listSetupSteps } from "../plan-setup.ts"
import type { SetupReport, UnitReport } from "../setup-report.ts"
import { nameUnit, type SetupFiles } from "../setup-unit.ts"
import { makeExamineTree } from "./examine-unit.ts"
import type { SetupPorts } from "./set-up-checkout.ts"
import { openSetupCache } from "./setup-cache.ts"

export interface ReportRequest {
  readonly mode: SetupReport["mode"]
  readonly command: string
  /** At the commit that work would start from. */
  readonly files: SetupFiles
  /** In the user's checkout. */
  readonly ignored: readonly string[]
  readonly isCopied: (path: string) => boolean
}

export async function reportSetup(ports: SetupPorts, request: ReportRequest): Promise<SetupReport> {
  const { mode, command, files, ignored, isCopied } = request
  const cache = openSetupCache(ports)
  const examined = mode === "automatic" ? await makeExamineTree(ports)(files) : []
  const units = examined.map(({ unit, key, source }): UnitReport => {
    const isToolInstalled = Bun.which(unit.tool, { PATH: ports.env.PATH ?? "" }) !== null
    const name = nameUnit(unit)
    const from = cache.has(key) ? "cache" : source !== undefined ? "checkout" : isToolInstalled ? "tool" : "missing"
    const line = unit.ways.map((way) => way.map((words) => words.join(" ")).join(" && ")).at(-1) ?? ""
    const isInCheckout = unit.places.length > 0
    return { name, folder: unit.folder, tool: unit.tool, isToolInstalled, source: from, command: line, isInCheckout }
  })
  const own = { command, folder: "", reason: "workspace.setup" }
  return {
    mode,
    command: mode === "command" ? command : null,
    units,
    steps: mode === "command" ? [own] : listSetupSteps(examined.map(({ unit }) => unit)),
    neededIgnored: findNeededIgnored(ignored).filter((path) => !isCopied(path)),
  }
}
