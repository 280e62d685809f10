import { describe, expect, it } from "bun:test"
import { resolvePath } from "../lib/paths.ts"
import { judgeDelegation } from "./delegation.ts"

const ROOT = "/repo"
const PLACE = {
  inside(path: string) {
    const place = resolvePath(path, ROOT)
    return place === ROOT ? "" : place.startsWith(`${ROOT}/`) ? place.slice(ROOT.length + 1) : undefined
  },
  isOurs: (path: string) => path.startsWith("/home/team/"),
  self: ["/opt/bun", "/opt/teamwork/main.ts"],
  isOver: false,
}
const judge = (tool: string, input: Record<string, unknown> = {}) => judgeDelegation({ tool, input }, PLACE)
const bash = (command: unknown) => judge("Bash", { command })

describe("a lead in strict delegation may", () => {
  it.each([
    "teamwork project status",
    "teamwork task create --title 'Fix; the $HOME > thing' --role backend && teamwork wave calculate",
    'teamwork message send --to w1 --message "go on"',
    "npx teamwork task list --json | jq -r '.data[].id' | head -n 5",
    "teamwork task list | grep -i open",
    "/opt/bun /opt/teamwork/main.ts task list",
    "cat .workflow/.team/x/tasks.json; ls -la /repo/.workflow",
    "cd /repo && teamwork watch",
    "teamwork task create --title 'evidence run'",
    "teamwork run plan.yml --agent gemini --model gemini-pro",
  ])("run %s", (command) => expect(bash(command)).toBeUndefined())

  it("run it by the shells of the other hosts", () => {
    expect(judge("run_shell_command", { command: "teamwork task list" })).toBeUndefined()
    expect(judge("exec_command", { cmd: "teamwork task list" })).toBeUndefined()
    expect(judge("shell", { command: ["bash", "-lc", "teamwork task list"] })).toBeUndefined()
    expect(judge("shell", { command: ["bash", "-lc", "npm test"] })).toBeString()
    expect(judge("shell", { command: ["teamwork", "task", "list"] })).toBeString()
  })

  it.each([
    ["Read", { file_path: "/repo/.workflow/.team/a/plan.md" }],
    ["Read", { file_path: ".claude/commands/team.md" }],
    ["Read", { file_path: "/home/team/roles/api.md" }],
    ["Grep", { pattern: "open", path: ".workflow/.team" }],
    ["glob", { pattern: "**/*.md", path: "/repo/.teamwork" }],
    ["read_file", { absolute_path: "/repo/teamwork.json" }],
    ["Write", { file_path: ".workflow/.team/a/plan.md" }],
    ["replace", { file_path: "/repo/.workflow/x.json" }],
    ["apply_patch", { command: "*** Begin Patch\n*** Add File: .workflow/x\n+x\n*** End Patch" }],
    ["AskUserQuestion", {}],
    ["Agent", { prompt: "x" }],
    ["SendMessage", { to: "w1" }],
    ["mcp__teamwork__task_create", { title: "x" }],
    ["mcp__plugin_teamwork_teamwork__task_create", {}],
    ["mcp_teamwork_task_list", {}],
    ["teamwork_team_status", {}],
    ["mcp__teamwork__codex_status", {}],
  ])("use %s %j", (tool, input) => expect(judge(tool, input)).toBeUndefined())
})

describe("a lead in strict delegation may not", () => {
  it.each([
    ...["npm test", "git status", "cat src/a.ts", "ls", "rm -rf .workflow/../src", "teamwork task list && npm test"],
    ...[
      "teamwork task list; make",
      "teamwork $(npm test)",
      'teamwork "$(cat src/a.ts)"',
      "teamwork task list > src/a.ts",
    ],
    ...[
      "TEAMWORK_HOME=/x teamwork task list",
      "teamwork task list | sh",
      "teamwork task list | xargs cat",
      "eval teamwork",
    ],
    ...[
      "cat .workflow/x src/a.ts",
      "cat .workflow/../src/a.ts",
      "grep -r x",
      "teamwork x | grep -r x .",
      "jq . src/a.json",
    ],
    ...[
      "teamwork x | jq . src/a.json",
      "teamwork x | jq --rawfile a src/a .",
      "./teamwork task list",
      "cd src && cat .workflow/x",
    ],
    ...[
      "teamwork evidence run --id 1 -- npm test",
      "teamwork --json evidence-run --id 1 -- make",
      "teamwork agent exec x",
      "cat .workflow/calls | teamwork mcp --as w1",
    ],
    ...["teamwork --project p agent exec codex", "", "teamwork task list & npm test", "tail -f /dev/null"],
  ])("run %j", (command) => expect(bash(command)).toBeString())

  it.each([
    ["Read", { file_path: "/repo/src/a.ts" }],
    ["Read", { file_path: "src/../README.md" }],
    ["Read", { file_path: "/home/other/x" }],
    ["Read", {}],
    ["Grep", { pattern: "x" }],
    ["Grep", { pattern: "x", path: "." }],
    ["Glob", { pattern: "/repo/src/**", path: ".workflow" }],
    ["Glob", { pattern: "../src/**", path: ".workflow" }],
    ["read_many_files", { paths: [".workflow/x", "src/a.ts"] }],
    ["read_many_files", { include: ["src/**"] }],
    ["Edit", { file_path: "src/a.ts" }],
    ["Write", { file_path: "package.json" }],
    ["Write", {}],
    ["apply_patch", { command: "*** Add File: .workflow/x\n*** Update File: src/a.ts" }],
    ["Bash", { command: 7 }],
    ["mcp__filesystem__read_file", { path: "src/a.ts" }],
    ["mcp__teamwork__evidence_run", { id: "1" }],
    ["mcp__teamwork__agent_exec", {}],
    ["mcp_teamwork_codex_exec", {}],
    ["WebFetch", { url: "https://example.invalid" }],
    ["", {}],
  ])("use %s %j", (tool, input) => expect(judge(tool, input)).toBeString())

  it.each(["teamwork leave", "teamwork task list && teamwork leave", "teamwork --json join --lead"])(
    "get out of it by %s before the end",
    (command) => {
      expect(bash(command)).toStartWith("while the team is at work a lead in strict delegation neither leaves")
      const isOver = judgeDelegation({ tool: "Bash", input: { command } }, { ...PLACE, isOver: true })
      expect(isOver === undefined).toBe(!command.includes("join"))
      expect(judge("mcp__teamwork__leave")).toBeString()
    },
  )

  it("and hears what to do instead", () => {
    expect(bash("npm test")).toBe(
      "a lead in strict delegation runs no command but teamwork; however small it is, make it a task, and a worker does it: " +
        "teamwork task create --title '...' --description '...'",
    )
    expect(bash("teamwork task create --title $X")).toContain("written without $")
  })
})
