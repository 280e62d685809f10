import type { SetupReport, UnitReport } from "../setup-report.ts"
import { missingTool } from "../setup-unit.ts"

/** A warning: something will be missing in checkouts. */
export interface SetupLine {
  readonly status: "ok" | "warning"
  readonly detail: string
}

export function describeSetup({ mode, command, units, neededIgnored }: SetupReport): SetupLine[] {
  const lines = units.map(describeUnit)
  if (mode === "command") lines.push({ status: "ok", detail: `each checkout runs workspace.setup: ${command}` })
  if (mode === "off")
    lines.push({ status: "ok", detail: "workspace.setup turns it off; checkouts have only committed files" })
  if (neededIgnored.length > 0) {
    const [verb, them] = neededIgnored.length === 1 ? ["is", "it"] : ["are", "them"]
    const detail = `${neededIgnored.join(", ")} ${verb} ignored by git and not copied to checkouts; add ${them} to workspace.copy to copy ${them}`
    lines.push({ status: "warning", detail })
  }
  return lines
}

function describeUnit({ name, tool, command, source, isInCheckout }: UnitReport): SetupLine {
  switch (source) {
    case "cache":
      return { status: "ok", detail: `${name}: ${isInCheckout ? "each checkout gets a copy from the cache" : "ready"}` }
    case "checkout":
      return { status: "ok", detail: `${name}: each checkout gets a copy of what this one has` }
    case "tool":
      return {
        status: "ok",
        detail: `${name}: the first checkout runs ${command}${isInCheckout ? "; the others get a copy" : ""}`,
      }
    case "missing":
      return { status: "warning", detail: `${name}: ${missingTool(tool)}` }
  }
}
