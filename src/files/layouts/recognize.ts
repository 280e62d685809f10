import type { Folder } from "../own/folder.ts"
import { asWord, isRecord, type Json, parseJson } from "./foreign-json.ts"
import type { Layout } from "./found-team.ts"

export const MARKS: ReadonlySet<string> = new Set([
  "project.json",
  "session.json",
  "team-session.json",
  "state.json",
  "team-state.json",
])

/** With several marker files, the layout that also writes the others. */
export function recognize(folder: Folder, path: string, paths: ReadonlySet<string>): Layout | undefined {
  const inside = (name: string) => (path === "" ? name : `${path}/${name}`)
  const has = (name: string) => paths.has(inside(name))
  const mark = (name: string) => readMark(folder, inside(name))
  const looksLikeTeam = (name: string) => has(name) && isTeamFile(mark(name), () => hasTeamParts(path, paths))
  if (has("project.json") && isExport(mark("project.json"))) return "export"
  if (looksLikeTeam("project.json")) return "teamwork-v2"
  if (looksLikeTeam("session.json")) return "teamwork-v1"
  if (has("team-session.json")) return "tc-session"
  if (has("state.json") && isPmPlace(path) && isPmState(mark("state.json"), path, has)) return "pm-project"
  if (has("team-state.json") && (path === "" || /(?:^|\/)\.forge$/.test(path))) return "forge-team"
  return undefined
}

/** A damaged marker file, kept as text, may still mean a team. */
type Mark = { readonly record: Json } | { readonly text: string }

function readMark(folder: Folder, path: string): Mark {
  try {
    const bytes = folder.read(path)
    const parsed = parseJson(bytes)
    if (!parsed.ok) return { text: new TextDecoder().decode(bytes) }
    return { record: isRecord(parsed.value) ? parsed.value : {} }
  } catch {
    // The reader of the team reports it.
    return { text: "" }
  }
}

function isExport(mark: Mark): boolean {
  if ("text" in mark) return /"teamwork"\s*:\s*\{[^}]*"format"/.test(mark.text)
  return isRecord(mark.record.teamwork) && mark.record.teamwork.format !== undefined
}

/** Other programs also have a `project.json` or `session.json`, but without these fields. */
function isTeamFile(mark: Mark, hasParts: () => boolean): boolean {
  const names = ["project", "team", "goal"]
  const found = names.filter((name) =>
    "text" in mark ? mark.text.includes(`"${name}"`) : Object.hasOwn(mark.record, name),
  )
  return found.length >= 2 || ("text" in mark && hasParts())
}

const TEAM_PARTS =
  /^(?:tasks\/[^/]+\.json|waves\.json|inboxes\/[^/]+\.json|verification\/[^/]+\.json|swarm\/swarm\.json)$/

function hasTeamParts(path: string, paths: ReadonlySet<string>): boolean {
  const start = path === "" ? "" : `${path}/`
  for (const each of paths) if (each.startsWith(start) && TEAM_PARTS.test(each.slice(start.length))) return true
  return false
}

/** Many programs have a `state.json`. Ours is in the searched folder, directly below it, or below `projects`. */
function isPmPlace(path: string): boolean {
  return path === "" || !path.includes("/") || isBelowProjects(path)
}

function isBelowProjects(path: string): boolean {
  return /(?:^|\/)projects\/[^/]+$/.test(path)
}

const PM_PHASES = "skill_discovery requirement skill_research plan_design awaiting_approval execution completion".split(
  " ",
)

function isPmState(mark: Mark, path: string, has: (name: string) => boolean): boolean {
  const hasViews = has("agent-status.json") || has("WHITEBOARD.md")
  if ("text" in mark) return hasViews || isBelowProjects(path)
  const { record } = mark
  const any = (...names: string[]) => names.some((name) => record[name] !== undefined && record[name] !== null)
  const signs = [
    any("id", "projectId") && any("name", "title", "goal", "description", "requirement"),
    [record.team, record.teamMembers, record.agents].some((each) => Array.isArray(each) || isRecord(each)),
    ["full_auto", "supervised"].includes(asWord(record.mode ?? record.operatingMode)),
    PM_PHASES.includes(asWord(record.phase ?? record.currentPhase)),
    hasViews,
  ]
  return signs.filter(Boolean).length >= 2
}
