import { manyLines, oneLine, type Screen, table } from "../../lib/text/table.ts"
import { shortTime } from "../../reporting/views/status-view.ts"
import type { Artifact } from "../artifact.ts"
import type { Discussion } from "../discussion.ts"
import type { Exploration } from "../exploration.ts"
import type { Skill, TaskSkills } from "../skill.ts"
import type { Wisdom } from "../wisdom.ts"

export function wisdomLine({ number, kind, text, count }: Wisdom): string {
  return `Wisdom ${number}, ${kind}${count === 1 ? "" : `, said ${count} times`}: ${oneLine(text)}`
}

export function renderWisdom(all: readonly Wisdom[], screen: Screen): string {
  if (all.length === 0) return "Nothing is written down."
  return table(
    [
      { title: "NO", align: "right" },
      { title: "KIND" },
      { title: "TIMES", align: "right" },
      { title: "BY" },
      { title: "TASK" },
      { title: "ROLE" },
      { title: "TEXT", flexible: true },
    ],
    all.map(({ number, kind, count, by, taskId, role, text }) => [
      String(number),
      kind,
      String(count),
      by,
      taskId ?? "-",
      role ?? "-",
      text,
    ]),
    screen,
  )
}

export function discussionLine({ number, topic, status, rounds, severity }: Discussion): string {
  const how = severity === null ? status : `${status} (${severity})`
  return `Discussion ${number}, ${oneLine(topic)}: ${how}, ${rounds} ${rounds === 1 ? "round" : "rounds"}`
}

export function renderDiscussions(all: readonly Discussion[], screen: Screen): string {
  if (all.length === 0) return "No discussions."
  return table(
    [
      { title: "NO", align: "right" },
      { title: "STATUS" },
      { title: "SEVERITY" },
      { title: "ROUNDS", align: "right" },
      { title: "TASK" },
      { title: "OPENED" },
      { title: "TOPIC", flexible: true },
    ],
    all.map(({ number, status, severity, rounds, taskId, openedAt, topic }) => [
      String(number),
      status,
      severity ?? "-",
      String(rounds),
      taskId ?? "-",
      shortTime(openedAt),
      topic,
    ]),
    screen,
  )
}

export function renderDiscussion(discussion: Discussion): string {
  const { statements, conclusion, closedBy } = discussion
  const lines = [discussionLine(discussion)]
  let round = 0
  for (const each of statements) {
    if (each.round !== round) lines.push("", `Round ${each.round}`)
    round = each.round
    lines.push(`  ${each.by}: ${manyLines(each.text).replaceAll("\n", "\n    ")}`)
  }
  if (conclusion !== null) lines.push("", `Closed by ${closedBy}: ${manyLines(conclusion)}`)
  return lines.join("\n")
}

export function artifactLine({ number, name, kind, size, keptIn, commit, path }: Artifact): string {
  const where = keptIn === "commit" ? `${oneLine(path ?? "")} at ${commit?.slice(0, 12)}` : "in the store"
  return `Artifact ${number}, ${kind}: ${oneLine(name)}, ${size} bytes, ${where}`
}

export function renderArtifacts(all: readonly Artifact[], screen: Screen): string {
  if (all.length === 0) return "No artifacts."
  return table(
    [
      { title: "NO", align: "right" },
      { title: "KIND" },
      { title: "TASK" },
      { title: "WORKER" },
      { title: "COMMIT" },
      { title: "BYTES", align: "right" },
      { title: "SHA256" },
      { title: "NAME", flexible: true },
    ],
    all.map(({ number, kind, taskId, attempt, worker, commit, size, sha256, name }) => [
      String(number),
      kind,
      taskId === null ? "-" : `${taskId}/${attempt}`,
      worker ?? "-",
      commit?.slice(0, 12) ?? "-",
      String(size),
      sha256.slice(0, 12),
      name,
    ]),
    screen,
  )
}

export function renderArtifact(artifact: Artifact, text: string | undefined): string {
  const { taskId, attempt, worker, commit, path, sha256, createdAt, by } = artifact
  const lines = [
    artifactLine(artifact),
    `  made for  ${taskId === null ? "no task" : `task ${taskId}, attempt ${attempt}`}${worker === null ? "" : `, by ${worker}`}`,
    `  from      ${path === null ? "no repository" : oneLine(path)}${commit === null ? "" : `, at commit ${commit}`}`,
    `  sha256    ${sha256}`,
    `  added     ${shortTime(createdAt)} by ${by}`,
  ]
  return [
    ...lines,
    "",
    text === undefined ? "It is not text. To get the file: teamwork artifact export" : manyLines(text),
  ].join("\n")
}

export function renderExploration({ angle, summary, files, commit, by, exploredAt }: Exploration): string {
  const read = Object.keys(files).map(oneLine).join(", ")
  return [
    `${oneLine(angle)} (by ${by}, ${shortTime(exploredAt)}, at ${commit.slice(0, 12)}; read ${read})`,
    manyLines(summary),
  ].join("\n")
}

export function renderExplorations(
  all: readonly (Exploration & { readonly stale: string | null })[],
  screen: Screen,
): string {
  if (all.length === 0) return "No explorations."
  return table(
    [
      { title: "HOLDS" },
      { title: "BY" },
      { title: "WHEN" },
      { title: "ANGLE", flexible: true },
      { title: "FILES", flexible: true },
      { title: "WHY NOT", flexible: true },
    ],
    all.map(({ stale, by, exploredAt, angle, files }) => [
      stale === null ? "yes" : "no",
      by,
      shortTime(exploredAt),
      angle,
      Object.keys(files).join(" "),
      stale ?? "-",
    ]),
    screen,
  )
}

export function renderSkills(skills: readonly Skill[], screen: Screen): string {
  if (skills.length === 0) return "No skills."
  return table(
    [{ title: "NAME" }, { title: "FROM" }, { title: "DESCRIPTION", flexible: true }, { title: "FILE", flexible: true }],
    skills.map(({ name, origin, description, path }) => [name, origin, description, path]),
    screen,
  )
}

export function renderChosenSkills(skills: TaskSkills["chosen"], screen: Screen): string {
  if (skills.length === 0) return "No skills suit this task."
  return table(
    [{ title: "NAME" }, { title: "STATUS" }, { title: "WHY" }, { title: "DESCRIPTION", flexible: true }],
    skills.map(({ name, status, isMandatory, description, number }) => [
      name,
      number === null ? `would be ${status}` : status,
      isMandatory ? "the user named it" : "it suits the task",
      description,
    ]),
    screen,
  )
}
