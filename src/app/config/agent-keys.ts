import type { ProgramFacts } from "../../agents/program-facts.ts"
import { PROGRAMS, type ProgramName } from "../../agents/programs.ts"
import { MODEL_TIERS, type ModelTier } from "../../planning/complexity/model-tier.ts"
import type { ConfigRow } from "./keys.ts"

const PERMISSIONS = ["ask", "edit", "full"] as const

type Setting =
  | "enabled"
  | "command"
  | "profiles"
  | "promptLimit"
  | `model.${ModelTier}`
  | `mode.${(typeof PERMISSIONS)[number]}`

type WithoutEnv<Row> = Row extends unknown ? Omit<Row, "env"> : never

/** The settings of one program, as the facts about it ask for them. */
function settingsOf({ title, profileFolder, hasModes, promptLimit }: ProgramFacts) {
  const rows: [Setting, WithoutEnv<ConfigRow>][] = [
    ["enabled", { type: "boolean", default: true, description: `Whether ${title} may be given work.` }],
    [
      "command",
      {
        type: "strings",
        default: [],
        isCommand: true,
        isForUserOnly: true,
        description: `The command line that starts ${title}, such as "program --flag"; a path with spaces is quoted. Empty means the one on the PATH.`,
      },
    ],
  ]
  if (profileFolder !== undefined)
    rows.push([
      "profiles",
      {
        type: "strings",
        default: [],
        pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*=(~|~?/.*)$",
        expects: "NAME=FOLDER with a full path, such as work=~/.accounts/work",
        isForUserOnly: true,
        description: `Further accounts of ${title}, NAME=FOLDER each: ${profileFolder}. Each is an agent of its own, named PROGRAM@NAME.`,
      },
    ])
  if (promptLimit === null) return rows
  for (const tier of MODEL_TIERS) {
    const description = `The model for tasks of the tier ${tier}; empty means the built-in choice.`
    rows.push([`model.${tier}`, { type: "string", default: "", description }])
  }
  for (const permission of hasModes === true ? PERMISSIONS : []) {
    const description = `The mode of ${title} for the permission ${permission}; empty means one of those that are known.`
    rows.push([`mode.${permission}`, { type: "string", default: "", isForUserOnly: true, description }])
  }
  const description = `The longest prompt for ${title}, in characters; what surrounds the task gives way.`
  rows.push(["promptLimit", { type: "number", default: promptLimit, min: 1000, description }])
  return rows
}

const PROGRAM_KEYS = Object.fromEntries(
  PROGRAMS.flatMap((program) =>
    settingsOf(program).map(([setting, row]) => {
      const variable = `${program.name}_${setting.replaceAll(/[A-Z]/g, "_$&").replace(".", "_")}`
      return [`agents.${program.name}.${setting}`, { ...row, env: `TEAMWORK_AGENTS_${variable.toUpperCase()}` }]
    }),
  ),
) as Record<`agents.${ProgramName}.${Setting}`, ConfigRow>

/** The settings of agent programs. Part of the table of all settings. */
export const AGENT_KEYS = {
  ...PROGRAM_KEYS,
  "agents.userSettings": {
    type: "boolean",
    default: false,
    env: "TEAMWORK_AGENTS_USER_SETTINGS",
    isForUserOnly: true,
    description:
      "Whether agents also get your own instructions, skills and MCP servers, and Claude Code your own settings with their hooks; logins and providers always work.",
  },
  "agents.passEnv": {
    type: "strings",
    default: [],
    pattern: "^[A-Za-z_][A-Za-z0-9_]*\\*?$",
    expects: "names of variables, such as MY_PROXY_TOKEN or CORP_*",
    env: "TEAMWORK_AGENTS_PASS_ENV",
    isForUserOnly: true,
    description: "Further variables that agents get, besides those that their programs are known to need.",
  },
  "agents.prices": {
    type: "strings",
    default: [],
    pattern: "^[^\\s=,]+=(\\d+(\\.\\d+)?/){2}\\d+(\\.\\d+)?(@\\d{4}-\\d\\d-\\d\\d)?$",
    expects: "MODEL=INPUT/CACHED/OUTPUT@DATE, such as gpt-5.5=5/0.5/30@2026-06-04",
    env: "TEAMWORK_AGENTS_PRICES",
    description:
      "What models cost: MODEL=INPUT/CACHED/OUTPUT in dollars per million tokens, with @DATE if wanted; goes before the built-in prices.",
  },
} as const
