import { type Screen, table } from "../../lib/text/table.ts"
import type { Preset } from "../presets.ts"

export function renderPresets(presets: readonly Preset[], screen: Screen): string {
  const columns = [
    { title: "NAME" },
    { title: "WORKERS" },
    { title: "PROTOCOL" },
    { title: "QA" },
    { title: "FROM" },
    { title: "WHAT IT IS", flexible: true },
  ]
  const rows = presets.map(({ name, workers, protocol, qa, source, summary }) => [
    name,
    workers ?? "auto",
    protocol ?? "-",
    qa === true ? "yes" : "-",
    source,
    summary,
  ])
  return table(columns, rows, screen)
}
