function command<const Env extends string>(env: Env, program: string) {
  return {
    type: "strings",
    default: [],
    env,
    isForUserOnly: true,
    description: `The command that starts ${program}, with its first arguments; empty means the one on the PATH.`,
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

/** The settings of each agent program. Part of the table of all settings. */
export const AGENT_KEYS = {
  "agents.claude.command": command("TEAMWORK_AGENTS_CLAUDE_COMMAND", "Claude Code"),
  "agents.claude.model.haiku": model("TEAMWORK_AGENTS_CLAUDE_MODEL_HAIKU", "haiku"),
  "agents.claude.model.sonnet": model("TEAMWORK_AGENTS_CLAUDE_MODEL_SONNET", "sonnet"),
  "agents.claude.model.opus": model("TEAMWORK_AGENTS_CLAUDE_MODEL_OPUS", "opus"),
  "agents.codex.command": command("TEAMWORK_AGENTS_CODEX_COMMAND", "Codex"),
  "agents.codex.model.haiku": model("TEAMWORK_AGENTS_CODEX_MODEL_HAIKU", "haiku"),
  "agents.codex.model.sonnet": model("TEAMWORK_AGENTS_CODEX_MODEL_SONNET", "sonnet"),
  "agents.codex.model.opus": model("TEAMWORK_AGENTS_CODEX_MODEL_OPUS", "opus"),
  "agents.gemini.command": command("TEAMWORK_AGENTS_GEMINI_COMMAND", "Gemini CLI"),
  "agents.gemini.model.haiku": model("TEAMWORK_AGENTS_GEMINI_MODEL_HAIKU", "haiku"),
  "agents.gemini.model.sonnet": model("TEAMWORK_AGENTS_GEMINI_MODEL_SONNET", "sonnet"),
  "agents.gemini.model.opus": model("TEAMWORK_AGENTS_GEMINI_MODEL_OPUS", "opus"),
  "agents.opencode.command": command("TEAMWORK_AGENTS_OPENCODE_COMMAND", "OpenCode"),
  "agents.opencode.model.haiku": model("TEAMWORK_AGENTS_OPENCODE_MODEL_HAIKU", "haiku"),
  "agents.opencode.model.sonnet": model("TEAMWORK_AGENTS_OPENCODE_MODEL_SONNET", "sonnet"),
  "agents.opencode.model.opus": model("TEAMWORK_AGENTS_OPENCODE_MODEL_OPUS", "opus"),
  "agents.acp.command": command("TEAMWORK_AGENTS_ACP_COMMAND", "an agent of the Agent Client Protocol"),
  "agents.script.command": command("TEAMWORK_AGENTS_SCRIPT_COMMAND", "the shell of scripts"),
} as const
