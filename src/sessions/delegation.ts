// In strict delegation a lead leaves all work on the project to workers. A closed list: everything that is not known to
// be harmless is denied.
import { splitCommand } from "../lib/text/split-command.ts"
import { findWrite, type ToolCall } from "../ownership/find-write.ts"
import { SHELL_TOOLS } from "../tasks/observed.ts"

export interface LeadPlace {
  /** The path relative to the repository; undefined outside of it. */
  readonly inside: (path: string) => string | undefined
  /** Whether a path outside belongs to the team: exports, roles, commands and skills, but no worktree. */
  readonly isOurs: (path: string) => boolean
  /** The command line of this program, if called by its path. */
  readonly self: readonly string[]
  readonly isOver: boolean
}

export function judgeDelegation({ tool, input }: ToolCall, place: LeadPlace): string | undefined {
  const denied = (what: string) => `${what}${WAY_OUT}`
  const write = findWrite({ tool, input })
  if (write !== undefined) {
    const isWorkflow = "files" in write && write.files.every((path) => isBelow(place.inside(path), [WORKFLOW]))
    if (isWorkflow) return undefined
    return denied(`a lead in strict delegation writes only below ${WORKFLOW}`)
  }
  if (READING_TOOLS.has(tool)) {
    if (mayRead(input, place)) return undefined
    return denied(`a lead in strict delegation does not read or search the project; it reads below ${WORKFLOW}`)
  }
  if (SHELL_TOOLS.has(tool)) {
    const line = lineOf(input.command ?? input.cmd)
    const problem = findProblem(line, place)
    if (problem !== undefined) return denied(problem)
    const words = splitCommand(line).commands.flatMap((command) => command.words)
    return words.some((word) => isEscape(word, place)) ? ESCAPES : undefined
  }
  if (LEADING_TOOLS.has(tool)) return undefined
  const own = OUR_SERVER.exec(tool)?.[1]
  if (own !== undefined && isEscape(own, place)) return ESCAPES
  if (own !== undefined && !WORK_TOOLS.test(own)) return undefined
  return denied(`a lead in strict delegation does not use ${tool.slice(0, 100) || "such a tool"}`)
}

/** Otherwise a lead could lift the restriction itself. */
function isEscape(command: string, { isOver }: LeadPlace): boolean {
  return command === "join" || (command === "leave" && !isOver)
}

const ESCAPES =
  "while the team is at work a lead in strict delegation neither leaves nor joins otherwise; only the user can, in a terminal: teamwork leave --terminal-id ID"

const WORKFLOW = ".workflow/"
const READABLE = [
  WORKFLOW,
  ".teamwork/",
  ".claude/agents/",
  ".claude/commands/",
  ".claude/skills/",
  "teamwork.json",
  "AGENTS.md",
  "CLAUDE.md",
]
const WAY_OUT =
  "; however small it is, make it a task, and a worker does it: teamwork task create --title '...' --description '...'"

/** Of Claude Code, Gemini CLI and OpenCode; Codex reads with its shell. */
const READING_TOOLS = new Set([
  "Read",
  "Grep",
  "Glob",
  "LS",
  "NotebookRead",
  "read_file",
  "read_many_files",
  "list_directory",
  "glob",
  "search_file_content",
  "grep_search",
  "read",
  "grep",
  "list",
  "view_image",
])
/** Questions to the user, subagents, messages, and the host's own bookkeeping. */
const LEADING_TOOLS = new Set([
  "AskUserQuestion",
  "Agent",
  "Task",
  "TaskOutput",
  "TaskStop",
  "SendMessage",
  "ListAgents",
  "Skill",
  "TodoWrite",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "SlashCommand",
  "ToolSearch",
  "EnterPlanMode",
  "ExitPlanMode",
  "BashOutput",
  "KillShell",
  "ask_user",
  "write_todos",
  "activate_skill",
  "todowrite",
  "todoread",
  "task",
  "question",
  "skill",
  "update_plan",
  "request_user_input",
  "spawn_agent",
  "send_input",
  "wait_agent",
  "close_agent",
  "list_agents",
])
/** Each host joins server and tool in its own way; a Claude Code plugin adds its name. */
const OUR_SERVER = /^(?:mcp__(?:plugin_teamwork_)?teamwork__|mcp_teamwork_|teamwork_)(\w+)$/

function isBelow(path: string | undefined, places: readonly string[]): boolean {
  return path !== undefined && places.some((place) => path === place.replace(/\/$/, "") || path.startsWith(place))
}

/** A search without a path covers everything, and a pattern may lead outside. */
function mayRead(input: ToolCall["input"], place: LeadPlace): boolean {
  const named = READ_FIELDS.flatMap((field) => input[field] ?? [])
  const patterns = PATTERN_FIELDS.flatMap((field) => input[field] ?? [])
  const leadsAway = (pattern: unknown) => typeof pattern !== "string" || /^[/~]|\.\./.test(pattern)
  if (named.length === 0 || patterns.some(leadsAway)) return false
  return named.every((path) => typeof path === "string" && isReadable(path, place))
}

const READ_FIELDS = ["file_path", "filePath", "notebook_path", "path", "absolute_path", "dir_path", "paths", "include"]
const PATTERN_FIELDS = ["pattern", "glob"]

function isReadable(path: string, { inside, isOurs }: LeadPlace): boolean {
  const within = inside(path)
  return within === undefined ? isOurs(path) : isBelow(within, READABLE)
}

/** Allows our own commands, and reading their output. */
function findProblem(line: string, place: LeadPlace): string | undefined {
  const { commands, isPlain } = splitCommand(line)
  const call = "a lead in strict delegation runs no command but teamwork"
  if (commands.length === 0) return call
  const isOurs = ({ words, joiner }: (typeof commands)[number]) =>
    isOwnCall(words, place.self) || isHarmless(words, joiner === "|", place)
  if (!commands.every(isOurs)) return call
  if (!isPlain) return `${call}, written without $, \`, >, < and the like: put texts between '...'`
  const isWork = ({ words }: (typeof commands)[number]) =>
    words.some((word, at) => WORK_COMMANDS.test(word) || WORK_COMMANDS.test(`${word}-${words[at + 1]}`))
  return commands.some(isWork) ? "a lead in strict delegation runs neither checks nor agents by itself" : undefined
}

function isOwnCall(words: readonly string[], self: readonly string[]): boolean {
  const begins = (start: readonly string[]) => start.length > 0 && start.every((word, at) => words[at] === word)
  return (
    begins(["teamwork"]) || begins(["npx", "teamwork"]) || begins(["npx", "--no-install", "teamwork"]) || begins(self)
  )
}

/** These work outside of tasks, themselves or through an agent; `mcp` starts a server that can. */
const WORK_COMMANDS = /^(?:evidence-run|agent-(?:exec|perform)|mcp)$/
const WORK_TOOLS = /^(?:evidence_run|(?:agent|codex|gemini)_(?!status|cancel|kill|wait|list)\w+)$/

const LOOKERS = new Set(["cat", "ls", "head", "tail", "wc"])
const SPEAKERS = new Set(["echo", "pwd", "true", "date"])
const COUNT = /^-?[nlc]?\d*$/

function isHarmless([program = "", ...rest]: readonly string[], isPiped: boolean, place: LeadPlace): boolean {
  if (program === "cd") return rest.length === 1 && place.inside(rest[0] ?? "") === ""
  if (SPEAKERS.has(program)) return program === "echo" || rest.length === 0
  if (isPiped && program === "jq") return rest.filter((word) => !/^-[rcej]+$/.test(word)).length === 1
  if (isPiped && program === "grep") return rest.filter((word) => !/^-[ivcnowqEF]+$/.test(word)).length === 1
  if (!LOOKERS.has(program)) return false
  const paths = rest.filter((word) => !COUNT.test(word) && !/^-[la1hR]+$/.test(word))
  return (isPiped || paths.length > 0) && paths.every((path) => isBelow(place.inside(path), [WORKFLOW]))
}

/** Some hosts pass a list such as `["bash", "-lc", line]`. */
function lineOf(command: unknown): string {
  if (typeof command === "string") return command
  const [shell, flag, line, ...rest] = Array.isArray(command) ? command : []
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(String(shell)) && /^-l?c$/.test(String(flag))
  return isShell && typeof line === "string" && rest.length === 0 ? line : ""
}
