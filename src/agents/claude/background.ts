import { asObject } from "../json-line.ts"

/** What goes on beside the conversation: agents, after which it continues, and commands such as a server. */
export function watchBackground() {
  let agents = 0
  let commands = 0
  let isAnnounced = false
  return {
    change(tasks: readonly unknown[], isAfterResult: boolean) {
      const before = agents
      commands = tasks.filter((task) => asObject(task)?.task_type === "local_bash").length
      agents = tasks.length - commands
      if (isAfterResult && agents < before) isAnnounced = true
    },
    beginTurn() {
      isAnnounced = false
    },
    isTurnToCome: () => agents > 0 || isAnnounced,
    hasCommands: () => commands > 0,
  }
}
