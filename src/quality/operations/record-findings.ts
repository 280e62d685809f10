import type { TaskId } from "../../kernel/ids.ts"
import type { StoredTeam, Tx } from "../../store/port.ts"
import { type Finding, higher, isSameFinding, type NewFinding, nameFinding, placeOf, toFinding } from "../finding.ts"

// All functions here need a locked team and append an event.

export interface Reported {
  readonly findings: readonly NewFinding[]
  readonly source: Finding["source"]
  readonly reportedIn?: TaskId | null
  readonly commit: string | null
  readonly by: string
  readonly agent: string | null
}

const MAX_TEXT = 4000

/** A known finding is not added again: a fixed one opens again, a waived one stays waived. */
export async function recordFindings(tx: Tx, team: StoredTeam, reported: Reported): Promise<Finding[]> {
  const known = await listAll(tx, team.key)
  const recorded: Finding[] = []
  for (const finding of reported.findings) {
    const same = known.find((each) => isSameFinding({ ...each, task: each.taskId }, finding))
    const isNew = same === undefined
    recorded.push(isNew ? await add(tx, team, reported, finding) : await repeat(tx, team, reported, [same, finding]))
  }
  return recorded
}

export async function listAll(tx: Tx, key: number): Promise<Finding[]> {
  return (await tx.records.list(key, { kind: "finding" })).map(toFinding)
}

export async function listOpen(tx: Tx, key: number): Promise<Finding[]> {
  return (await tx.records.list(key, { kind: "finding", status: "open" })).map(toFinding)
}

async function add(tx: Tx, team: StoredTeam, reported: Reported, finding: NewFinding): Promise<Finding> {
  const { source, reportedIn = null, commit, by, agent } = reported
  const { severity, file, line } = finding
  const text = finding.text.length > MAX_TEXT ? `${finding.text.slice(0, MAX_TEXT - 1)}…` : finding.text
  const record = await tx.records.add(team.key, {
    kind: "finding",
    status: "open",
    attempt: null,
    by,
    taskId: finding.task as TaskId | null,
    data: { severity, file, line, text, source, reportedIn, commit, agent, rounds: 0 },
  })
  return append(tx, team, toFinding(record), { by, source, commit })
}

type Report = Pick<Reported, "by" | "source" | "commit"> & { readonly isAgain?: boolean }

async function append(tx: Tx, team: StoredTeam, finding: Finding, { by, source, commit, isAgain }: Report) {
  const again = isAgain === true ? { is_again: true } : {}
  const data = { ...aboutFinding(finding), source, commit, ...again, about: nameFinding(finding) }
  await tx.events.append(team.key, by, { type: "finding.recorded", data })
  return finding
}

/** Perhaps with a higher severity. */
async function repeat(
  tx: Tx,
  team: StoredTeam,
  { by, source, commit }: Reported,
  [known, finding]: readonly [Finding, NewFinding],
): Promise<Finding> {
  const severity = higher(known.severity, finding.severity)
  if (known.status === "waived" || (known.status === "open" && severity === known.severity && known.fixTask === null))
    return known
  const line = finding.line ?? known.line
  const isAgain = known.status === "fixed"
  // A later review reports it again, so the fix did not help.
  const fixTask = source === "task" && !isAgain ? known.fixTask : null
  const changed = await change(tx, team, known, { status: "open", data: { severity, line, fixTask, commit } })
  return isAgain || severity !== known.severity ? append(tx, team, changed, { by, source, commit, isAgain }) : changed
}

/** `data`: the changed fields. */
export async function change(
  tx: Tx,
  team: StoredTeam,
  finding: Finding,
  to: { readonly status: Finding["status"]; readonly data: Readonly<Record<string, unknown>> },
): Promise<Finding> {
  const { number, status } = finding
  const record = await tx.records.find(team.key, "finding", number)
  const data = { ...record?.data, ...to.data }
  const changed = await tx.records.change(team.key, { kind: "finding", number, status }, { status: to.status, data })
  if (changed === undefined) throw new Error(`finding ${number} changed although its team is locked`)
  return toFinding(changed)
}

export function aboutFinding(finding: Finding) {
  return { number: finding.number, task: finding.taskId, severity: finding.severity, place: placeOf(finding) }
}

/** Findings that are not fixed get another fix task. */
export async function settleFindings(
  tx: Tx,
  team: StoredTeam,
  {
    earlier,
    commit,
    by,
  }: { readonly earlier: ReadonlyMap<number, boolean>; readonly commit: string; readonly by: string },
): Promise<void> {
  for (const finding of await listOpen(tx, team.key)) {
    const isFixed = earlier.get(finding.number)
    if (isFixed === undefined) continue
    if (!isFixed) {
      if (finding.fixTask !== null) await change(tx, team, finding, { status: "open", data: { fixTask: null } })
      continue
    }
    await change(tx, team, finding, { status: "fixed", data: { fixedIn: commit, fixedBy: by } })
    await tx.events.append(team.key, by, { type: "finding.fixed", data: { ...aboutFinding(finding), commit } })
  }
}
