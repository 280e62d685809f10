import type { TaskSkills } from "../../knowledge/skill.ts"
import { oneLine } from "../../lib/text/table.ts"
import { specPath } from "../../planning/roles/role-spec.ts"
import type { RoleDefinition } from "../../planning/roles/roles.ts"
import type { PromptFacts } from "../prompt-facts.ts"
import { type FittedText, fitSections, type Section, shorten } from "./fit-sections.ts"
import { closingWords, oneShotPreamble, teamPreamble } from "./preambles.ts"
import {
  artifacts,
  decisions,
  feedback,
  findings,
  guidance,
  messages,
  needs,
  ownedByOthers,
  skills,
  wisdom,
} from "./surroundings.ts"

export interface PromptInput {
  readonly facts: PromptFacts
  readonly role: RoleDefinition
  /** Where `role` is a type of agent without expertise in the task. */
  readonly taskRole?: RoleDefinition
  /** For an agent that is this worker of the team; left out for one that does a task in one run. */
  readonly worker?: string
  readonly skills?: TaskSkills
  /** Our MCP server, for an agent that does a task in one run. */
  readonly server?: string
  readonly root: string
  /** In characters. */
  readonly limit: number
  /** In tasks, messages and results. */
  readonly mask: (text: string) => string
}

/** The same input gives the same text. */
export function composePrompt(input: PromptInput): FittedText {
  const { facts, worker, limit, mask } = input
  const surroundings = [
    goal(facts),
    decisions(facts.decisions),
    ownedByOthers(facts.others),
    needs(facts.needs),
    artifacts(facts),
    findings(facts.findings),
    messages(facts.messages),
    wisdom(facts),
    guidance(facts),
  ]
  const start =
    worker === undefined
      ? [
          task(facts),
          feedback(facts.feedback),
          fileScope(input),
          instructions(input),
          role(input),
          skills(input.skills, facts.task.phase),
          context(input),
        ]
      : [
          protocol(facts, worker),
          role(input),
          skills(input.skills, facts.task.phase),
          task(facts),
          feedback(facts.feedback),
          fileScope(input),
          context(input),
        ]
  // Mask before cutting: half a secret would not be recognized.
  const sections = [...start, ...surroundings].flatMap((section) =>
    section === undefined ? [] : [masked(section, mask)],
  )
  return fitSections(sections, limit)
}

function masked(section: Section, mask: PromptInput["mask"]): Section {
  const blocks = section.blocks?.map((block) => ({
    ...block,
    ...(block.label !== undefined && { label: mask(block.label) }),
    body: mask(block.body),
  }))
  return { ...section, lead: mask(section.lead ?? ""), blocks: limited(section, blocks) }
}

function limited({ most }: Section, blocks: Section["blocks"]): Section["blocks"] {
  if (most === undefined) return blocks
  return blocks?.slice(-most.blocks).map((block) => ({ ...block, body: shorten(block.body, most.characters) }))
}

function protocol({ team, task }: PromptFacts, worker: string): Section {
  return { name: "protocol", heading: "PROTOCOL", priority: null, lead: teamPreamble(team, task, worker) }
}

function instructions({ facts, role, server }: PromptInput): Section {
  const closing = closingWords(facts.task, { hasFindings: !role.writes, hasGap: role.prefix !== undefined })
  const lead = oneShotPreamble(closing, server)
  return { name: "instructions", heading: "INSTRUCTIONS", priority: null, lead }
}

function role({ role, taskRole }: PromptInput): Section {
  const both = taskRole === undefined ? [role] : [role, taskRole]
  const expertise = both
    .filter((each) => each.expertise.length > 0)
    .map((each) => `Expertise as ${each.name}: ${each.expertise.join(", ")}.`)
  // A reviewer of a security task must not get instructions to make changes.
  const told = both.filter((each) => each.kind === role.kind).map((each) => each.instructions)
  const body = [...expertise, ...new Set(told)].filter((text) => text !== "").join("\n\n")
  const tools = role.tools.length === 0 ? "" : ` You may use these tools and no others: ${role.tools.join(", ")}.`
  return {
    name: "role",
    heading: "ROLE",
    priority: 70,
    lead: `You work as ${role.name} (${role.kind}).${tools}`,
    blocks: [{ body, isForeign: false, isOurs: true }],
  }
}

function task({ task }: PromptFacts): Section {
  const parts = [
    `Task ${task.id}: ${oneLine(task.title)}`,
    task.description.trim(),
    bullets("It is done when:", task.acceptance),
    bullets("These commands must end with exit code 0:", task.checks),
  ]
  const lead = parts.filter((part) => part !== "").join("\n\n")
  return { name: "task", heading: "TASK", priority: null, lead, material: lead.length }
}

function fileScope({ facts, role }: PromptInput): Section {
  const { files } = facts.task
  const granted = bullets("The lead also allows you to write:", facts.granted)
  const own = !role.writes
    ? `You may read everything and write nothing.${files.length === 0 ? "" : bullets(" The task is about:", files)}`
    : files.length === 0
      ? "The task names no files. Write what it needs and nothing that belongs to other tasks."
      : bullets("You may write these files and no others:", files)
  const more = role.writes ? [granted, facts.isCoordinated ? SHARED_FILES : ""].filter((text) => text !== "") : []
  const lead = [own, ...more].join("\n\n")
  const material = [...files, ...facts.granted].reduce((sum, each) => sum + each.length, 0)
  return { name: "file scope", heading: "FILE SCOPE", priority: null, lead, material }
}

const SHARED_FILES =
  "You may also change manifests and settings of the whole project where the task needs it, such as a dependency or a script in package.json, Cargo.toml or pyproject.toml, even where another task names the file. Keep it small: other tasks change these files at the same time, and all changes are merged key by key. Never edit lock files: they are regenerated."

function context({ facts, role, root }: PromptInput): Section {
  const { team, task, worktree } = facts
  const lines = [
    `Root: ${worktree ?? root}`,
    `Team: ${team.project}/${team.team}`,
    ...(task.attempt > 1 ? [`This is attempt ${task.attempt} at the task.`] : []),
    "Files outside of FILE SCOPE are read-only.",
    ...(role.prefix === undefined ? [] : pipeline(facts, role)),
  ]
  return { name: "context", heading: "CONTEXT", priority: null, lead: lines.join("\n") }
}

/** The place of a role that was made for the goal. */
function pipeline({ team, task }: PromptFacts, { name, prefix, innerLoop }: RoleDefinition): string[] {
  const loop = "yes: you do the tasks of your role one after the other, and go on with what you found before"
  return [
    `Session: ${team.session}`,
    `Role: ${name}, role-spec ${specPath(name)}; its tasks begin with ${prefix}-.`,
    `Inner loop: ${innerLoop === true ? loop : "no"}`,
    ...(task.wave === null ? [] : [`Pipeline phase: wave ${task.wave} of ${team.totalWaves}`]),
  ]
}

function goal({ team }: PromptFacts): Section | undefined {
  if (team.goal.trim() === "") return undefined
  const lead = "What the team as a whole is after; your part of it is TASK."
  return { name: "goal", heading: "GOAL", priority: 60, lead, blocks: [{ body: team.goal.trim(), isForeign: false }] }
}

function bullets(lead: string, items: readonly string[]): string {
  return items.length === 0
    ? ""
    : [lead, ...items.map((item) => `- ${item.trim().replaceAll("\n", "\n  ")}`)].join("\n")
}
