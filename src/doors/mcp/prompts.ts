import type { TaskDiff } from "../../delivery/target/task-diff.ts"
import { AppError } from "../../kernel/errors.ts"
import { composeTaskReview } from "../../quality/views/task-review.ts"
import type { TaskWithEvidence } from "../../tasks/operations/get-task.ts"
import { callCommand } from "./call-tool.ts"
import type { Call, Connection } from "./tool-session.ts"
import type { Who } from "./who.ts"

interface Prompt {
  readonly name: string
  readonly description: string
  readonly argument: { readonly name: string; readonly description: string }
  readonly isForLead?: true
  compose(connection: Connection, value: string, call: Call): Promise<string>
}

const taskArgument = { name: "id", description: "id of the task" }

const PROMPTS: readonly Prompt[] = [
  {
    name: "work_on_task",
    description: "The whole prompt for a task",
    argument: taskArgument,
    async compose(connection, id, call) {
      const { worker } = await connection.who()
      const facts = { id, worker: worker ?? undefined, agent: "claude" }
      const { data } = await callCommand(connection, "prompt", facts, call)
      return (data as { prompt: string }).prompt
    },
  },
  {
    name: "plan_goal",
    description: "Take a goal apart into tasks of the team",
    argument: { name: "goal", description: "what is to be reached" },
    isForLead: true,
    compose: async (_, goal) => planGoal(goal),
  },
  {
    name: "review",
    description: "Judge what a task changed",
    argument: taskArgument,
    async compose(connection, id, call) {
      const { data: task } = await callCommand(connection, "task get", { id }, call)
      const { data: diff } = await callCommand(connection, "diff", { id }, call)
      return composeTaskReview(task as TaskWithEvidence, diff as TaskDiff)
    },
  },
]

export function listPrompts({ worker }: Who) {
  return PROMPTS.filter((prompt) => worker === null || prompt.isForLead !== true).map(
    ({ name, description, argument }) => ({ name, description, arguments: [{ ...argument, required: true }] }),
  )
}

export async function getPrompt(
  connection: Connection,
  { name, values }: { readonly name: string; readonly values: Readonly<Record<string, string>> },
  call: Call,
) {
  const offered = listPrompts(await connection.who()).map((prompt) => prompt.name)
  const prompt = PROMPTS.find((each) => each.name === name && offered.includes(name))
  if (prompt === undefined) throw new AppError("usage", `there is no prompt ${name}; there are ${offered.join(", ")}`)
  const value = values[prompt.argument.name]?.trim() ?? ""
  if (value === "") throw new AppError("usage", `${prompt.argument.name} is missing: ${prompt.argument.description}`)
  const text = await prompt.compose(connection, value, call)
  return {
    description: prompt.description,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  }
}

function planGoal(goal: string): string {
  return `Plan the work of a team of coding agents in this repository. You plan; others do it.

# Goal

${goal}

# How

1. Look at team_status and task_list for what there is already, and at explore_list and wisdom_list for what is known.
2. Read the repository as far as the goal touches it. Keep what others will need with explore_put.
3. Make each task with task_create:
   - description: all that somebody must know who sees only this task and the repository.
   - files: patterns of what it may write; no file belongs to two tasks that could run at the same time.
   - acceptance: what must be true at the end; check: commands that must exit with 0.
   - blocked_by: only what it really needs. As many tasks as possible should run at the same time.
   - role and complexity: who does it, and how able a model it takes.
4. Show the plan to the user, and ask for what is unclear instead of guessing.`
}
