import { PROGRAMS } from "../../agents/programs.ts"
import { MODEL_TIERS } from "../../planning/complexity/model-tier.ts"
import { command, flag, type Setting, text, texts, wholeNumber } from "./setting.ts"

export type AgentKey = `agents.${string}`

export function programSettings(): Record<AgentKey, () => Setting> {
  const settings: Record<AgentKey, () => Setting> = {}
  for (const { name, title, profileFolder, promptLimit, hasModes } of PROGRAMS) {
    const add = (key: string, setting: () => Setting) => {
      settings[`agents.${name}.${key}`] = setting
    }
    add("enabled", () => flag(true, `Whether ${title} gets work.`))
    add("command", () =>
      command(
        `The command line that starts ${title}, such as "program --flag"; quote a path with spaces. Empty means the program on the PATH.`,
      ),
    )
    if (profileFolder !== undefined)
      add("profiles", () =>
        texts(
          [],
          `More accounts of ${title}, NAME=FOLDER each: ${profileFolder}. Each is an agent of its own, named PROGRAM@NAME.`,
          {
            pattern: /^[A-Za-z0-9][A-Za-z0-9_-]*=(~|~?\/.*)$/,
            expects: "NAME=FOLDER with a full path, such as work=~/.accounts/work",
            isForUserOnly: true,
          },
        ),
      )
    if (promptLimit === null) continue
    for (const tier of MODEL_TIERS)
      add(`model.${tier}`, () => text("", `The model for tasks of the tier ${tier}; empty means the built-in choice.`))
    if (hasModes)
      for (const permission of ["ask", "edit", "full"])
        add(`mode.${permission}`, () =>
          text("", `The mode of ${title} for the permission ${permission}; empty means a known mode.`, {
            isForUserOnly: true,
          }),
        )
    add("promptLimit", () =>
      wholeNumber(
        promptLimit,
        `The longest prompt for ${title}, in characters; what surrounds the task is cut first.`,
        {
          min: 1000,
        },
      ),
    )
  }
  return settings
}
