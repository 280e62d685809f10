import { manyLines, oneLine, type Screen, table } from "../../lib/text/table.ts"
import type { KnownRole } from "../roles/merge-roles.ts"

export function renderRoles(roles: readonly KnownRole[], screen: Screen): string {
  const columns = [
    { title: "NAME" },
    { title: "KIND" },
    { title: "MODEL" },
    { title: "EFFORT" },
    { title: "WRITES" },
    { title: "FROM", flexible: true },
  ]
  const rows = roles.map((role) => [role.name, role.kind, role.model, role.effort, yesOrNo(role.writes), origin(role)])
  return table(columns, rows, screen)
}

export function renderRole(role: KnownRole): string {
  const facts: [string, string | null][] = [
    ["Role", role.name],
    ["From", origin(role)],
    ["Extends", role.extends],
    ["Kind", `${role.kind}, responsible for ${role.responsibility}`],
    ["Model", role.model],
    ["Effort", role.effort],
    ["Writes", yesOrNo(role.writes)],
    ["Tools", role.tools.length === 0 ? null : role.tools.join(", ")],
    ["Expertise", role.expertise.length === 0 ? null : role.expertise.join(", ")],
  ]
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(9)}  ${oneLine(value)}`]))
  return [...lines, "", manyLines(role.instructions)].join("\n")
}

function origin({ source, file, deprecatedFor }: KnownRole): string {
  const where = file === null ? source : `${source}, ${file}`
  return deprecatedFor === undefined ? where : `${where}; deprecated, use ${deprecatedFor}`
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no"
}
