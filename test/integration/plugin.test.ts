// What the plugin tells agents is what the program does: every call, flag and name in its texts is checked against the
// tables that the program itself goes by.
import { describe, expect, it } from "bun:test"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { basename, join } from "node:path"
import { makeClaudeHost } from "../../src/doors/hooks/hosts.ts"
import { filesOf } from "../../src/doors/setup/host-files.ts"
import { TEMPLATES } from "../../src/planning/plan-templates.ts"
import { BUILT_IN_ROLES } from "../../src/planning/roles/roles.ts"
import { ROLES } from "../../src/tasks/task.ts"
import { callsIn, codeIn, problemWithCall, strayFlags } from "../support/mentions.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const PLUGIN = join(import.meta.dir, "../../plugin")

interface Page {
  readonly file: string
  readonly name: string
  readonly head: Readonly<Record<string, unknown>>
  readonly body: string
}

const read = (path: string) => readFileSync(join(PLUGIN, path), "utf8")
const names = (folder: string) => readdirSync(join(PLUGIN, folder)).map((name) => basename(name, ".md"))
const COMMANDS = names("commands").map((name) => readPage(`commands/${name}.md`, name))
const AGENTS = names("agents").map((name) => readPage(`agents/${name}.md`, name))
const SKILLS = names("skills").map((name) => readPage(`skills/${name}/SKILL.md`, name))
const PAGES = [...COMMANDS, ...AGENTS, ...SKILLS]

function readPage(file: string, name: string): Page {
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(read(file)) ?? []
  return { file, name, head: Bun.YAML.parse(head) as Page["head"], body }
}

function pageOf(file: string): Page {
  const page = PAGES.find((each) => each.file === file)
  if (page === undefined) throw new Error(`there is no ${file}`)
  return page
}

function hookCommands(): { event: string; command: string }[] {
  const { hooks } = JSON.parse(read("hooks/hooks.json")) as {
    hooks: Record<string, { hooks: { type: string; command: string }[] }[]>
  }
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group) => group.hooks.map(({ command }) => ({ event, command }))),
  )
}

const byEvent = (a: { path: readonly string[] }, b: { path: readonly string[] }) =>
  a.path.join().localeCompare(b.path.join())

describe("the plugin", () => {
  it("has every command, agent and skill that was promised, and no others", () => {
    const commands = ["teamwork", "teamwork-worker", "teamwork-status", "teamwork-verify", "team", "team-cancel"]
    expect(names("commands").sort()).toEqual(commands.sort())
    const roles = ROLES.filter((role) => role !== "worker")
    expect(roles).toHaveLength(7)
    const agents = ["orchestrator", "coordinator", "wave-verifier", "final-verifier", "worker", "team-worker"]
    expect(names("agents").sort()).toEqual([...agents, ...roles].sort())
    // teamwork-clean is a command, too, as every skill.
    expect(names("skills").sort()).toEqual(["swarm-workflow", "team-coordinate", "teamwork-clean", "worker-workflow"])
  })

  it.each(PAGES)("$file has a head that says what it is for", ({ file, name, head, body }) => {
    const known = {
      commands: ["description", "argument-hint", "allowed-tools", "disable-model-invocation"],
      agents: ["name", "description", "model", "tools", "skills"],
      skills: ["name", "description", "argument-hint", "allowed-tools"],
    }[file.split("/")[0] ?? ""]
    expect(known).toEqual(expect.arrayContaining(Object.keys(head)))
    expect(head.description).toBeString()
    if (!file.startsWith("commands/")) expect(head.name).toBe(name)
    expect(body.trim().length).toBeGreaterThan(80)
    // Agents' texts get nothing expanded, and no text may know where anything lies.
    expect(read(file)).not.toMatch(/CLAUDE_PLUGIN_ROOT|\/(?:root|home|usr|tmp|work)\//)
  })

  it.each(PAGES)("$file mentions only calls that the program takes", async ({ body }) => {
    const code = codeIn(body)
    const problems = await Promise.all(callsIn(code).map((args) => problemWithCall(args)))
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
    expect(await strayFlags(code)).toEqual([])
  })

  it("mentions only commands, agents and skills that it has", () => {
    const all = new Set([...COMMANDS, ...AGENTS, ...SKILLS].map(({ name }) => name))
    const mentioned = PAGES.flatMap(({ file, head, body }) => {
      const text = `${body}\n${JSON.stringify(head)}`
      return [...text.matchAll(/\bteamwork:([a-z][a-z-]*)/g)].map(([, name = ""]) => ({ file, name }))
    })
    expect(mentioned.length).toBeGreaterThan(10)
    expect(mentioned.filter(({ name }) => !all.has(name))).toEqual([])
  })

  it.each(["docs/plugin.md", "plugin/README.md"])(
    "is described in %s by calls and names that there are",
    async (file) => {
      const text = readFileSync(join(PLUGIN, "..", file), "utf8")
      const code = codeIn(text)
      const problems = await Promise.all(callsIn(code).map((args) => problemWithCall(args)))
      expect(problems.filter((problem) => problem !== undefined)).toEqual([])
      const all = PAGES.map(({ name }) => name)
      const mentioned = code.flatMap((each) => /^\/?teamwork:([a-z-]+)/.exec(each)?.[1] ?? [])
      expect(mentioned.filter((name) => !all.includes(name))).toEqual([])
      for (const name of [...names("commands"), "teamwork-clean"]) expect(mentioned).toContain(name)
    },
  )

  it("passes nothing that a user typed to a shell", () => {
    for (const { file, body } of PAGES)
      for (const [call] of body.matchAll(/!`[^`]*`/g)) expect(`${file}: ${call}`).not.toMatch(/\$(?:ARGUMENTS|\d)/)
  })

  it("describes each role as the program does", () => {
    for (const { name, head, body } of AGENTS) {
      const role = BUILT_IN_ROLES.find((each) => each.name === name)
      expect(role).toBeDefined()
      if (role === undefined || name === "team-worker") continue
      expect(body).toContain(role.instructions)
      if (role.model !== "dynamic") expect(head.model).toBe(role.model)
      if ((ROLES as readonly string[]).includes(name)) {
        expect(head.skills).toEqual(["teamwork:worker-workflow"])
        if (name !== "worker") expect(body).toContain(`Your expertise: ${role.expertise.join(", ")}.`)
      }
      if (!role.writes) expect(head.tools).toBe("Bash, Read, Glob, Grep")
    }
    expect(AGENTS.find(({ name }) => name === "coordinator")?.head.description).toStartWith(
      "Deprecated, use orchestrator",
    )
  })

  it("names the five phases of a worker in order (R075)", () => {
    const { body } = pageOf("skills/worker-workflow/SKILL.md")
    const phases = [...body.matchAll(/^\d\. \*\*(\w+)\.\*\*/gm)].map(([, phase]) => phase)
    expect(phases).toEqual(["Find", "Claim", "Implement", "Evidence", "Status"])
  })

  it("takes both forms of a team (R172)", () => {
    const calls = callsIn(codeIn(pageOf("commands/team.md").body))
    expect(calls).toContainEqual(["plan", "3:executor", "TASK", "--dry-run"])
    expect(calls).toContainEqual(["plan", "build-team", "TASK", "--dry-run"])
  })

  it("is taken when somebody asks for a team (R285)", () => {
    const { head, body } = pageOf("commands/team.md")
    for (const word of ['"team"', '"coordinated team"', '"spawn agents"', "two to five workers", "N:agent-type"])
      expect(head.description).toContain(word)
    for (const template of TEMPLATES) for (const text of [head.description, body]) expect(text).toContain(template)
  })

  it("coordinates when a message begins so, in one step at a time (R286, R288)", () => {
    const { head, body } = pageOf("skills/team-coordinate/SKILL.md")
    expect(head.description).toContain('"Team Coordinate "')
    expect(head["argument-hint"]).toBe("<task description>")
    expect(callsIn(codeIn(body))).toContainEqual(["join", "--lead", "--delegation", "strict"])
    expect(body).toContain("One step each time you are woken, then stop")
  })

  it("lets its commands start the program without asking, and nothing else", () => {
    for (const { file, head } of [...COMMANDS, ...SKILLS].filter((page) => page.head["allowed-tools"] !== undefined))
      expect([file, head["allowed-tools"]]).toEqual([file, "Bash(teamwork:*)"])
  })

  it("asks the program at every event, and declares its server, wherever it lies", async () => {
    const events = hookCommands()
    expect(events.map(({ event }) => event)).toEqual([
      ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"],
      ...["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle", "SessionEnd"],
    ])
    const launcher = "${CLAUDE_PLUGIN_ROOT}/bin/teamwork"
    const { mcpServers } = JSON.parse(read(".mcp.json"))
    expect(mcpServers).toEqual({ teamwork: { command: launcher, args: ["mcp"] } })
    expect(await problemWithCall(["mcp"])).toBeUndefined()
    const { eventOf } = makeClaudeHost("claude")
    for (const { event, command } of events) {
      expect(command).toStartWith(`"${launcher}" hook `)
      const args = command.slice(launcher.length + 3).split(" ")
      expect(await problemWithCall(args, { isForHosts: true })).toBeUndefined()
      expect(eventOf(event)).toBe(eventOf(args[1] ?? ""))
      expect(eventOf(event)).toBeDefined()
    }
  })

  it("has the hooks that Claude Code gets without it", () => {
    const settings = filesOf("claude").find(({ path }) => path === ".claude/settings.json")
    const entries = settings?.kind === "json" ? settings.entries : []
    const known = hookCommands().map(({ event, command }) => ({ event, hook: command.split(" ").at(-1) ?? "" }))
    const made = known.map(({ event, hook }) => ({
      path: ["hooks", event],
      value: { hooks: [{ type: "command", command: `teamwork hook ${hook} --host claude` }] },
    }))
    expect(entries.toSorted(byEvent)).toEqual(made.toSorted(byEvent))
  })

  it("has one version, which is the program's", async () => {
    const { version } = await Bun.file(join(PLUGIN, "../package.json")).json()
    expect(JSON.parse(read(".claude-plugin/plugin.json")).version).toBe(version)
    const { plugins } = JSON.parse(read(".claude-plugin/marketplace.json"))
    expect(plugins).toEqual([
      { name: "teamwork", source: "./", description: JSON.parse(read(".claude-plugin/plugin.json")).description },
    ])
  })
})

describe("the check of what texts mention", () => {
  it.each([
    ["teamwork task clam TASK --owner ID", "there is no such command"],
    ["teamwork task claim TASK --owner ID --fast", 'unknown flag "--fast"'],
    ["teamwork task claim TASK", "owner is missing"],
    ["teamwork task list --role ROLE --status done", "is not one of open"],
    ["teamwork swarm stop WORKER OTHER", 'unexpected argument "OTHER"'],
    ["teamwork project status -- npm test", "takes nothing behind --"],
    ["teamwork agent judge", "there is no such command"],
  ])("finds what is wrong with %s", async (call, problem) => {
    const [args = []] = callsIn(codeIn(`Do this: \`${call}\`.`))
    expect(await problemWithCall(args)).toContain(problem)
  })

  it("finds flags that no command of the text has", async () => {
    expect(await strayFlags(codeIn("`teamwork cancel` takes `--force`, and `--quickly`."))).toEqual(["--quickly"])
  })

  it("reads blocks and spans, also over the end of a line, with quotes", () => {
    const text = "```sh\n$ teamwork task list\n```\nor `teamwork plan 'a b'\n--yes`, and !`teamwork report`."
    expect(callsIn(codeIn(text))).toEqual([["task", "list"], ["plan", "a b", "--yes"], ["report"]])
  })
})

describe("the plugin's launcher", () => {
  const launcher = join(PLUGIN, "bin/teamwork")

  function program(folder: string, says: string): void {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "teamwork"), `#!/bin/sh\necho '${says}' "$@"\n`)
    chmodSync(join(folder, "teamwork"), 0o755)
  }

  function launch(file: string, path: readonly string[], ...args: string[]) {
    const PATH = [...path, "/usr/bin", "/bin"].join(":")
    const { stdout, stderr, exitCode } = Bun.spawnSync([file, ...args], { env: sandboxEnv({ PATH }) })
    return { out: stdout.toString(), err: stderr.toString(), exitCode }
  }

  it("can be started", () => {
    expect(statSync(launcher).mode & 0o111).not.toBe(0)
  })

  it("takes what is on the PATH, with its arguments as they are, and passes over the plugin itself", () => {
    using scratch = makeScratch("a b")
    const folder = join(scratch.path, "with space/*")
    program(folder, "from the PATH")
    symlinkSync(PLUGIN, join(scratch.path, "another"))
    const path = [join(PLUGIN, "bin"), join(scratch.path, "another/bin"), join(scratch.path, "nothing"), folder]
    expect(launch(launcher, path, "task list", "a'b", "*")).toEqual({
      out: "from the PATH task list a'b *\n",
      err: "",
      exitCode: 0,
    })
  })

  it("lets a hook fail, but never so that it stops anybody", () => {
    using scratch = makeScratch()
    program(scratch.path, "too old")
    writeFileSync(join(scratch.path, "teamwork"), "#!/bin/sh\nexit 2\n")
    expect(launch(launcher, [scratch.path], "hook", "stop").exitCode).toBe(1)
    expect(launch(launcher, [scratch.path], "task", "list").exitCode).toBe(2)
    writeFileSync(join(scratch.path, "teamwork"), "#!/bin/sh\ncat\n")
    const stdin = new TextEncoder().encode("{}")
    const env = sandboxEnv({ PATH: `${scratch.path}:/usr/bin:/bin` })
    const answered = Bun.spawnSync([launcher, "hook", "stop"], { env, stdin })
    expect([answered.stdout.toString(), answered.exitCode]).toEqual(["{}", 0])
  })

  it("else takes what lies beside the plugin, and else says what to do", () => {
    using scratch = makeScratch()
    const copy = join(scratch.path, "plugin")
    mkdirSync(join(copy, "bin"), { recursive: true })
    mkdirSync(join(copy, ".claude-plugin"))
    writeFileSync(join(copy, "bin/teamwork"), readFileSync(launcher))
    chmodSync(join(copy, "bin/teamwork"), 0o755)
    const alone = launch(join(copy, "bin/teamwork"), [join(copy, "bin")], "hook", "stop")
    expect(alone).toMatchObject({ out: "", exitCode: 127 })
    expect(alone.err).toMatch(/^teamwork is not on your PATH: [^\n]+\n$/)
    program(join(scratch.path, "bin"), "from beside")
    expect(launch(join(copy, "bin/teamwork"), [join(copy, "bin")], "mcp").out).toBe("from beside mcp\n")
  })

  it("finds this checkout's program", () => {
    expect(existsSync(join(PLUGIN, "../bin/teamwork"))).toBe(true)
    expect(launch(launcher, [], "--version")).toMatchObject({ out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })
})
