import type { TeamName } from "../../kernel/team.ts"
import { LEAD } from "../../messages/message.ts"
import { TRIGGERS } from "../../requests/escalation.ts"
import type { Task } from "../../tasks/task.ts"

/** For an agent that is a worker itself: it claims, reports and takes the next task. */
export function teamPreamble({ project, team }: TeamName, { id, qa }: Pick<Task, "id" | "qa">, worker: string): string {
  const at = `--project ${project} --team ${team}`
  const task = `--id ${id} --owner ${worker} ${at}`
  const send = `teamwork mailbox send --from ${worker} --to team-lead ${at} --message`
  const handIn =
    qa === null
      ? ""
      : `\nQA: another agent checks your work first. Once it is committed, hand it in with \`teamwork qa submit ${task}\`; fix the problems that it reports by message and hand it in again. The task can be resolved once \`teamwork task get --id ${id} ${at}\` shows that QA passed.`
  return `You are worker ${worker} of the team ${project}/${team}. Follow this protocol.

1. CLAIM: look with \`teamwork task list ${at}\`, then run \`teamwork task claim ${task}\`. Take only tasks that are yours or free and whose needs are met; leave those that others hold.
2. WORK: do the task yourself. Start no sub-agents and do not use the Task tool. Write only files that you own, and never work on tasks of others. Always use absolute paths. Renew your claim with \`teamwork task heartbeat ${task}\`.
3. VERIFY: run the build and the tests. Leave no debug artefacts behind, such as console.log, TODO or debugger.${handIn}
4. COMPLETE: before you commit, make sure with a heartbeat that the task is still yours; if it was released or reassigned, stop without committing. Then run \`teamwork task update ${task} --status resolved --result "the outcome" --add-evidence "what you ran and what it printed"\`. To give it up, use \`teamwork task update ${task} --release\`.
5. REPORT: tell the lead with \`${send} "..."\`.
6. NEXT: run \`teamwork task claim --next --owner ${worker} ${at}\` and start again. If there is none, report "All assigned tasks complete. Standing by."

PEERS: write to another worker with --to and its id: \`HANDOFF: ...\` for results of yours that it builds on, \`BOUNDARY: ...\` about files that both of you need.
LEARNED: record what others should know with \`teamwork wisdom add --task ${id} --by ${worker} ${at} --kind learning --text "the lesson"\`; --kind may also be decision or issue.
BLOCKED: if blocked for more than 2 minutes, tell the lead why.
ESCALATE: ${OPEN_DECISIONS} Then run \`teamwork escalate requirement_unclear "the question" --task ${id} --owner ${worker} ${at}\`, with one of ${TRIGGERS.join(", ")}, and leave the task until then.
FAILED: report \`FAILED task #${id}: <reason>\` to the lead and leave the task in progress, so that it can be reassigned. Stop after 3 failures in a row.
SHUTDOWN: read your messages with \`teamwork mailbox read --inbox ${worker} --unread-only --mark-read ${at}\`. When ${LEAD} sends a message of the type shutdown_request, finish or release what you hold, answer with a shutdown_response with its request_id, and stop.`
}

/** For an agent that does one task in one run; its worker claims, commits and reports. */
export function oneShotPreamble(closing: string, server?: string): string {
  const tools =
    server === undefined
      ? ""
      : `\n- The tools of the MCP server \`${server}\` act for your worker: ask the lead there for a file that you lack, and look up what the team knows.`
  return `Do this one task, in this one run, and then end.

- Nobody answers while you work. ${OPEN_DECISIONS}
- Start no sub-agents, and do not claim or change tasks of the team.
- Write only inside of FILE SCOPE. Always use absolute paths.${tools}
- Run the checks that TASK names, and the build and the tests where there are any. Leave no debug artefacts behind, such as console.log, TODO or debugger.
${closing}`
}

const OPEN_DECISIONS =
  "Decide yourself what the task leaves open, and say what you assumed. Escalate only what a person must decide or provide: access, money, another scope, contradicting requirements."

interface Closing {
  /** A judging role reports problems as records. */
  readonly hasFindings: boolean
  /** A role that was made for the goal may need another role. */
  readonly hasGap: boolean
}

/** `src/tasks/closing-block.ts` reads the block. */
export function closingWords({ id }: Pick<Task, "id">, { hasFindings, hasGap }: Closing): string {
  const lines = [
    `\`FAILED task #${id}: <reason>\` if the task is not done, or only in part.`,
    `\`ESCALATE TRIGGER: <what a person must decide, what you tried>\`; TRIGGER is one of ${TRIGGERS.join(", ")}. Your work is kept until then.`,
    "`NOTHING TO DO: <reason, and how you made sure>` if everything it asks for already exists; then change nothing.",
    "`LEARNED: ...`, `DECIDED: ...` or `ISSUE: ...` for what other tasks should know.",
    ...(hasFindings
      ? ["`FINDING critical|major|minor FILE:LINE: <what is wrong>` for each problem; - for no file."]
      : []),
    ...(hasGap
      ? [`\`CAPABILITY GAP task #${id}: <what is missing>\` if it needs a skill that you lack; a role is made for it.`]
      : []),
  ]
  return `- End with what you changed, what you ran and its outcome, and what is left. Then add what applies, each on its own line:\n${lines.map((line) => `  - ${line}`).join("\n")}`
}
