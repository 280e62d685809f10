import { missingTool } from "../checkouts/effects/set-up-checkout.ts"
import type { SetupReport, UnitReport } from "../checkouts/port.ts"
import type { Finding } from "../teams/operations/examine-team.ts"

/** What setting up a worktree or gate checkout of this repository would do, for people. */
export function checkSetup(report: SetupReport): Finding[] {
  const { mode, command, units, neededIgnored } = report
  const say = (status: Finding["status"], detail: string): Finding => ({
    check: "set-up",
    status,
    detail,
    fixed: false,
  })
  const findings = units.map((unit) => describe(unit, say))
  if (mode === "command") findings.push(say("ok", `each checkout runs workspace.setup: ${command}`))
  if (mode === "off") findings.push(say("ok", "workspace.setup switches it off; checkouts hold what is committed"))
  if (neededIgnored.length > 0) {
    const files = neededIgnored.join(", ")
    const [verb, them] = neededIgnored.length === 1 ? ["is", "it"] : ["are", "them"]
    findings.push(
      say("warning", `${files} ${verb} ignored by git and not copied to checkouts; workspace.copy copies ${them}`),
    )
  }
  return findings
}

function describe(unit: UnitReport, say: (status: Finding["status"], detail: string) => Finding): Finding {
  switch (unit.source) {
    case "cache":
      return say("ok", `${unit.name}: ${unit.isInCheckout ? "each checkout gets a copy from the cache" : "ready"}`)
    case "checkout":
      return say("ok", `${unit.name}: each checkout gets a copy of what this one has`)
    case "tool":
      return say(
        "ok",
        `${unit.name}: the first checkout runs ${unit.command}${unit.isInCheckout ? "; the others get a copy" : ""}`,
      )
    case "missing":
      return say("warning", `${unit.name}: ${missingTool(unit.tool)}`)
  }
}
