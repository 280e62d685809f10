import { command, type Session } from "../../app/command.ts"
import { examineGates } from "../../app/wiring/preflight-here.ts"
import { suggestHere } from "../../app/wiring/suggest-here.ts"
import { examineAgents } from "../../app/wiring/survey.ts"
import { runHere } from "../../app/wiring/workspace-tools.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { flag } from "../../lib/schema.ts"
import { quoteArgument } from "../../lib/text/quote-argument.ts"
import { paint } from "../../lib/text/table.ts"
import type { SuggestedCommand } from "../../quality/gates/suggest-commands.ts"
import type { Finding } from "../../teams/operations/examine-team.ts"
import { examine } from "../doctor.ts"

const MARKS = { ok: ["ok     ", "green"], warning: ["warning", "yellow"], problem: ["PROBLEM", "red"] } as const

export const doctor = command({
  summary: "Check everything teamwork depends on, and with fix mend what it can",
  fields: {
    fix: flag(
      "give abandoned tasks back, end what lost workers left, mend wrong counters, write exported files anew, remove stale worktrees and locks",
    ),
  },
  async run(session, input) {
    const { host, flags, context, configured } = session
    const findings = await examine(host.processes, {
      fix: input.fix === true,
      clock: host.clock,
      machine: machineName(),
      cwd: host.io.cwd,
      env: host.env,
      home: async () => (await configured()).home,
      openContext: context,
      mendMoves: () => mendMoves(session),
      workspaces: (team) => workspacesOf(team, session),
      runtime: async (team, name) => (await configured()).runtime(team, name),
      strays: async (known, fix) => (await configured()).strayPanes((owner) => known.has(owner), fix),
      setup: () => setupHere({ configured, host }),
      agents: () => examineAgents(session),
      gates: async () => gatesOf(session),
      checkConfiguration: async () => (await host.configuration.list(flags)).warnings,
    })
    const isReadable = !findings.some(({ check, status }) => check === "configuration" && status === "problem")
    if (isReadable) findings.push(...(await suggestHere({ configured, host })).map(asFinding))
    const left = findings.filter((finding) => finding.status === "problem" && !finding.fixed)
    return {
      data: { healthy: left.length === 0, findings },
      text: ({ color }) =>
        findings
          .map(
            ({ check, status, detail, fixed }) =>
              `${paint(MARKS[status][0], MARKS[status][1], color)} ${check}: ${detail}${fixed ? " (fixed)" : ""}`,
          )
          .join("\n"),
      exitCode: left.length === 0 ? 0 : 1,
    }
  },
})

const NOT_HERE: readonly string[] = ["workspace.no_repository", "project.elsewhere", "repository.read_only"]

/** Suggests a CI command, but never runs it. */
function asFinding({ kind, line, file, lineNumber }: SuggestedCommand): Finding {
  const way = `teamwork config set gates.${kind} ${quoteArgument(line)}`
  return {
    check: "gates",
    status: "ok",
    detail: `no ${kind} command was found; ${file}:${lineNumber} has one: ${way}`,
    fixed: false,
  }
}

/** Only reads, so the owner of the repository does not matter. */
async function setupHere({ configured, host }: Pick<Session, "configured" | "host">) {
  try {
    return await (await configured()).setup(host.io.cwd)
  } catch (error) {
    if (error instanceof AppError && NOT_HERE.includes(error.code)) return undefined
    throw error
  }
}

async function mendMoves(session: Session): Promise<readonly string[]> {
  const { configured, host } = session
  const here = await configured()
  if ((await workspacesOf({ project: here.project, team: here.team }, session)) === undefined) return []
  return (await here.merging(host.io.cwd)).merges.recover()
}

async function gatesOf(session: Session) {
  const { project, team } = await session.configured()
  const here = await workspacesOf({ project, team }, session)
  if (here === undefined) return []
  try {
    return await examineGates(session, { project, team, folder: session.host.io.cwd })
  } catch (error) {
    if (error instanceof AppError && ["gate.no_commit", "gate.no_checkout"].includes(error.code)) return []
    throw error
  }
}

async function workspacesOf(name: TeamName, session: Session) {
  const { configured, host } = session
  const here = await configured()
  if (name.project !== here.project) return undefined
  try {
    return await here.workspaces({ sourceDir: host.io.cwd, team: await runHere(session, name) })
  } catch (error) {
    if (error instanceof AppError && NOT_HERE.includes(error.code)) return undefined
    throw error
  }
}
