function command<const Env extends string>(env: Env, program: string) {
  return {
    type: "strings",
    default: [],
    env,
    isCommand: true,
    isForUserOnly: true,
    description: `The command line that starts ${program}, such as "program --flag"; a path with spaces is quoted. Empty means the one on the PATH.`,
  } as const
}

function profiles<const Env extends string>(env: Env, program: string, holds: string) {
  return {
    type: "strings",
    default: [],
    pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*=(~|~?/.*)$",
    expects: "NAME=FOLDER with a full path, such as work=~/.accounts/work",
    env,
    isForUserOnly: true,
    description: `Further accounts of ${program}, NAME=FOLDER each: ${holds}. Each is an agent of its own, named PROGRAM@NAME.`,
  } as const
}

function model<const Env extends string>(env: Env, tier: string) {
  return {
    type: "string",
    default: "",
    env,
    description: `The model for tasks of the tier ${tier}; empty means the built-in choice.`,
  } as const
}

function enabled<const Env extends string>(env: Env, program: string) {
  return { type: "boolean", default: true, env, description: `Whether ${program} may be given work.` } as const
}

function mode<const Env extends string>(env: Env, permission: string) {
  return {
    type: "string",
    default: "",
    env,
    isForUserOnly: true,
    description: `The mode of an agent of the Agent Client Protocol for the permission ${permission}; empty means one of those that are known.`,
  } as const
}

/** At four characters a token about a tenth of what the agent can read: the rest is for the code it looks at. */
function promptLimit<const Env extends string>(env: Env, program: string, characters: number) {
  return {
    type: "number",
    default: characters,
    min: 1000,
    env,
    description: `The longest prompt for ${program}, in characters; what surrounds the task gives way.`,
  } as const
}

/** The settings of each agent program. Part of the table of all settings. */
export const AGENT_KEYS = {
  "agents.claude.enabled": enabled("TEAMWORK_AGENTS_CLAUDE_ENABLED", "Claude Code"),
  "agents.claude.command": command("TEAMWORK_AGENTS_CLAUDE_COMMAND", "Claude Code"),
  "agents.claude.profiles": profiles(
    "TEAMWORK_AGENTS_CLAUDE_PROFILES",
    "Claude Code",
    "the folder is what CLAUDE_CONFIG_DIR names",
  ),
  "agents.claude.model.haiku": model("TEAMWORK_AGENTS_CLAUDE_MODEL_HAIKU", "haiku"),
  "agents.claude.model.sonnet": model("TEAMWORK_AGENTS_CLAUDE_MODEL_SONNET", "sonnet"),
  "agents.claude.model.opus": model("TEAMWORK_AGENTS_CLAUDE_MODEL_OPUS", "opus"),
  "agents.claude.promptLimit": promptLimit("TEAMWORK_AGENTS_CLAUDE_PROMPT_LIMIT", "Claude Code", 80_000),
  "agents.codex.enabled": enabled("TEAMWORK_AGENTS_CODEX_ENABLED", "Codex"),
  "agents.codex.command": command("TEAMWORK_AGENTS_CODEX_COMMAND", "Codex"),
  "agents.codex.profiles": profiles("TEAMWORK_AGENTS_CODEX_PROFILES", "Codex", "the folder is what CODEX_HOME names"),
  "agents.codex.model.haiku": model("TEAMWORK_AGENTS_CODEX_MODEL_HAIKU", "haiku"),
  "agents.codex.model.sonnet": model("TEAMWORK_AGENTS_CODEX_MODEL_SONNET", "sonnet"),
  "agents.codex.model.opus": model("TEAMWORK_AGENTS_CODEX_MODEL_OPUS", "opus"),
  "agents.codex.promptLimit": promptLimit("TEAMWORK_AGENTS_CODEX_PROMPT_LIMIT", "Codex", 50_000),
  "agents.gemini.enabled": enabled("TEAMWORK_AGENTS_GEMINI_ENABLED", "Gemini CLI"),
  "agents.gemini.command": command("TEAMWORK_AGENTS_GEMINI_COMMAND", "Gemini CLI"),
  "agents.gemini.profiles": profiles(
    "TEAMWORK_AGENTS_GEMINI_PROFILES",
    "Gemini CLI",
    "the folder is what GEMINI_CLI_HOME names and holds .gemini",
  ),
  "agents.gemini.model.haiku": model("TEAMWORK_AGENTS_GEMINI_MODEL_HAIKU", "haiku"),
  "agents.gemini.model.sonnet": model("TEAMWORK_AGENTS_GEMINI_MODEL_SONNET", "sonnet"),
  "agents.gemini.model.opus": model("TEAMWORK_AGENTS_GEMINI_MODEL_OPUS", "opus"),
  "agents.gemini.promptLimit": promptLimit("TEAMWORK_AGENTS_GEMINI_PROMPT_LIMIT", "Gemini CLI", 400_000),
  "agents.opencode.enabled": enabled("TEAMWORK_AGENTS_OPENCODE_ENABLED", "OpenCode"),
  "agents.opencode.command": command("TEAMWORK_AGENTS_OPENCODE_COMMAND", "OpenCode"),
  "agents.opencode.profiles": profiles(
    "TEAMWORK_AGENTS_OPENCODE_PROFILES",
    "OpenCode",
    "the folder holds .config/opencode and .local/share/opencode",
  ),
  "agents.opencode.model.haiku": model("TEAMWORK_AGENTS_OPENCODE_MODEL_HAIKU", "haiku"),
  "agents.opencode.model.sonnet": model("TEAMWORK_AGENTS_OPENCODE_MODEL_SONNET", "sonnet"),
  "agents.opencode.model.opus": model("TEAMWORK_AGENTS_OPENCODE_MODEL_OPUS", "opus"),
  "agents.opencode.promptLimit": promptLimit("TEAMWORK_AGENTS_OPENCODE_PROMPT_LIMIT", "OpenCode", 50_000),
  "agents.acp.enabled": enabled("TEAMWORK_AGENTS_ACP_ENABLED", "an agent of the Agent Client Protocol"),
  "agents.acp.command": command("TEAMWORK_AGENTS_ACP_COMMAND", "an agent of the Agent Client Protocol"),
  "agents.acp.model.haiku": model("TEAMWORK_AGENTS_ACP_MODEL_HAIKU", "haiku"),
  "agents.acp.model.sonnet": model("TEAMWORK_AGENTS_ACP_MODEL_SONNET", "sonnet"),
  "agents.acp.model.opus": model("TEAMWORK_AGENTS_ACP_MODEL_OPUS", "opus"),
  "agents.acp.mode.ask": mode("TEAMWORK_AGENTS_ACP_MODE_ASK", "ask"),
  "agents.acp.mode.edit": mode("TEAMWORK_AGENTS_ACP_MODE_EDIT", "edit"),
  "agents.acp.mode.full": mode("TEAMWORK_AGENTS_ACP_MODE_FULL", "full"),
  "agents.acp.promptLimit": promptLimit(
    "TEAMWORK_AGENTS_ACP_PROMPT_LIMIT",
    "an agent of the Agent Client Protocol",
    40_000,
  ),
  "agents.script.enabled": enabled("TEAMWORK_AGENTS_SCRIPT_ENABLED", "the shell of scripts"),
  "agents.script.command": command("TEAMWORK_AGENTS_SCRIPT_COMMAND", "the shell of scripts"),
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
