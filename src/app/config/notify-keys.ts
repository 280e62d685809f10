/** How people are told that something waits for them. Part of the table of all settings. */
export const NOTIFY_KEYS = {
  "notify.bell": {
    type: "boolean",
    default: true,
    env: "TEAMWORK_NOTIFY_BELL",
    description: "Whether teamwork run rings the bell of its terminal when something waits for a person.",
  },
  "notify.command": {
    type: "string",
    default: "",
    env: "TEAMWORK_NOTIFY_COMMAND",
    isForUserOnly: true,
    description:
      "A command line that teamwork run gives to the shell when something waits for a person, such as one that shows it on the desktop or posts it; what to say is in the variable TEAMWORK_NOTICE.",
  },
} as const
