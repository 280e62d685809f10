import type { Failure, ToolCall } from "./model-protocols.ts"

/** What the model of a CLI calls, and how its server says that a conversation is too long. */
export interface OwnTools {
  /** `path` is from the worktree. */
  write(path: string, text: string): ToolCall
  run(command: string): ToolCall
  /** A tool of an MCP server. */
  mcp(server: string, tool: string, input: Record<string, unknown>): ToolCall
  readonly overflow: Failure
}

/** The same, however the CLI is driven. */
export const OWN_TOOLS = {
  claude: {
    write: (path, content) => ({ name: "Write", input: { file_path: path, content } }),
    run: (command) => ({ name: "Bash", input: { command, description: "a step" } }),
    mcp: (server, tool, input) => ({ name: `mcp__${server}__${tool}`, input }),
    overflow: {
      status: 400,
      type: "invalid_request_error",
      message: "prompt is too long: 201000 tokens > 200000 maximum",
    },
  },
  codex: {
    write: (path, text) => ({ name: "apply_patch", input: addFile(path, text) }),
    run: (cmd) => ({ name: "exec_command", input: { cmd } }),
    mcp: (server, tool, input) => ({ name: tool, namespace: `mcp__${server}`, input }),
    overflow: {
      status: 400,
      type: "context_length_exceeded",
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
  },
  gemini: {
    write: (path, content) => ({ name: "write_file", input: { file_path: path, content } }),
    run: (command) => ({ name: "run_shell_command", input: { command, description: "a step" } }),
    mcp: (server, tool, input) => ({ name: `mcp_${server}_${tool}`, input }),
    overflow: {
      status: 400,
      type: "INVALID_ARGUMENT",
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    },
  },
  opencode: {
    write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
    run: (command) => ({ name: "bash", input: { command, description: "a step" } }),
    mcp: (server, tool, input) => ({ name: `${server}_${tool}`, input }),
    overflow: {
      status: 400,
      type: "context_length_exceeded",
      message: "This model's maximum context length is 128000 tokens. Your messages resulted in 200000 tokens.",
    },
  },
} satisfies Record<string, OwnTools>

function addFile(path: string, text: string): string {
  const lines = text.trimEnd().split("\n")
  return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch"].join("\n")
}
