import type { JsonEntry } from "./json-entries.ts"
import type { Marks } from "./marked-block.ts"
import OPENCODE_PLUGIN from "./opencode-plugin.txt" with { type: "text" }

export const INIT_HOSTS = ["codex", "gemini", "opencode", "claude"] as const
export type InitHost = (typeof INIT_HOSTS)[number]

export type HostFile = { readonly path: string } & (
  | { readonly kind: "json"; readonly entries: readonly JsonEntry[] }
  | { readonly kind: "block"; readonly marks: Marks; readonly lines: readonly string[]; readonly isToml?: true }
  | { readonly kind: "whole"; readonly text: string }
)

/** Each host's own names of our events. */
const CODEX_EVENTS: Events = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PreToolUse: "pre-tool-use",
  PostToolUse: "post-tool-use",
  Stop: "stop",
  SubagentStop: "subagent-stop",
  SessionEnd: "session-end",
}
const CLAUDE_EVENTS: Events = {
  ...CODEX_EVENTS,
  PostToolUseFailure: "post-tool-use",
  TaskCompleted: "task-completed",
  TeammateIdle: "teammate-idle",
}
const GEMINI_EVENTS: Events = {
  SessionStart: "session-start",
  BeforeAgent: "prompt",
  BeforeTool: "pre-tool-use",
  AfterTool: "post-tool-use",
  AfterAgent: "stop",
  SessionEnd: "session-end",
}
type Events = Readonly<Record<string, string>>

const SERVER = { command: "teamwork", args: ["mcp"] }
/** Not in `.opencode`, where the program would install packages. */
const OPENCODE_PLUGIN_PATH = ".teamwork/opencode-plugin.js"
const OPENCODE_ENTRIES: readonly JsonEntry[] = [
  { path: ["mcp"], key: "teamwork", value: { type: "local", command: ["teamwork", "mcp"] } },
  { path: ["plugin"], value: `./${OPENCODE_PLUGIN_PATH}` },
]
const TOML_MARKS = { begin: "# teamwork init: begin", end: "# teamwork init: end" }
const MARKDOWN_MARKS = { begin: "<!-- teamwork init: begin -->", end: "<!-- teamwork init: end -->" }

/** The instructions for agents. Rules are left out: an error explains each rule when an agent breaks it. */
export const GUIDE: readonly string[] = [
  "## The team of this repository",
  "",
  "A team of agents may be at work here; the program `teamwork` keeps its tasks. `teamwork project status` shows whether there is one.",
  "Only if you are asked to take part:",
  "",
  "- As a worker: `teamwork join --role ROLE` gives you your id; add `--loop` to go on with task after task. Then",
  "  `teamwork task claim --next --owner ID`, and `teamwork prompt TASK --worker ID` tells all there is to know of the task.",
  "  `teamwork worktree create ID` makes a checkout of your own. Prove the work with `teamwork evidence run TASK --owner ID -- npm test`, end with",
  "  `teamwork task update TASK --owner ID --status resolved --result 'WHAT CAME OUT'`, or give the task back with",
  "  `teamwork task release TASK --owner ID --reason 'WHY'`.",
  "- As the lead: `teamwork plan 'GOAL' --dry-run`, and when the user agrees `teamwork plan FILE --yes`, `teamwork join --lead` and",
  "  `teamwork run`.",
  "- `teamwork leave` gives back what you hold. `teamwork help` lists everything else.",
]

export function filesOf(host: InitHost): readonly HostFile[] {
  switch (host) {
    case "codex":
      return [
        { path: ".codex/config.toml", kind: "block", marks: TOML_MARKS, lines: codexLines(), isToml: true },
        guide("AGENTS.md"),
      ]
    case "gemini":
      return [
        {
          path: ".gemini/settings.json",
          kind: "json",
          entries: [mcpServer(SERVER), ...hookEntries(GEMINI_EVENTS, host)],
        },
        guide("GEMINI.md"),
      ]
    case "opencode":
      return [
        { path: "opencode.json", kind: "json", entries: OPENCODE_ENTRIES },
        { path: OPENCODE_PLUGIN_PATH, kind: "whole", text: OPENCODE_PLUGIN },
        guide("AGENTS.md"),
      ]
    case "claude":
      return [
        { path: ".mcp.json", kind: "json", entries: [mcpServer(SERVER)] },
        { path: ".claude/settings.json", kind: "json", entries: hookEntries(CLAUDE_EVENTS, host) },
        guide("CLAUDE.md"),
      ]
  }
}

function guide(path: string): HostFile {
  return { path, kind: "block", marks: MARKDOWN_MARKS, lines: GUIDE }
}

function mcpServer(value: unknown): JsonEntry {
  return { path: ["mcpServers"], key: "teamwork", value }
}

function hookEntries(events: Events, host: InitHost): JsonEntry[] {
  return Object.entries(events).map(([name, event]) => ({
    path: ["hooks", name],
    value: { hooks: [{ type: "command", command: `teamwork hook ${event} --host ${host}` }] },
  }))
}

function codexLines(): string[] {
  const hooks = Object.entries(CODEX_EVENTS).flatMap(([name, event]) => [
    `[[hooks.${name}]]`,
    `[[hooks.${name}.hooks]]`,
    'type = "command"',
    `command = "teamwork hook ${event} --host codex"`,
  ])
  return ["[mcp_servers.teamwork]", `command = "${SERVER.command}"`, `args = ${JSON.stringify(SERVER.args)}`, ...hooks]
}
