import * as v from "valibot"
import { command } from "../../app/command.ts"
import { trustHere } from "../../app/wiring/trust-here.ts"
import { renewHere, sourceDirField, toolsOf } from "../../app/wiring/workspace-tools.ts"
import type { WorkerId } from "../../kernel/ids.ts"
import { resolvePath } from "../../lib/paths.ts"
import { machineName } from "../../lib/process/machine-name.ts"
import { choice, flag, number } from "../../lib/schema.ts"
import { commaList, roleField, teamFields } from "../../store/operation.ts"
import type { Role } from "../../tasks/task.ts"
import { type SpawnedWorker, spawnWorkers } from "../swarm/spawn-workers.ts"
import { workerLaunch } from "../swarm/worker-launch.ts"
import { renderSpawned } from "../views/swarm-view.ts"

const input = {
  ...teamFields,
  role: v.optional(roleField),
  roles: v.optional(commaList(roleField, "one worker for each of these roles"), []),
  count: v.optional(number("so many of each; 1 by default", { isInteger: true, min: 1, max: 64 })),
  worktree: flag("give each its worktree at once, instead of with its first task"),
  runtime: v.optional(choice(["child", "tmux"], "where they run; the setting engine.runtime by default")),
  sourceDir: sourceDirField,
}

export const swarmSpawn = command({
  summary: "Start workers, each in its own process that keeps running; without a role they take any task",
  fields: input,
  example: "teamwork swarm spawn --roles backend,frontend --runtime tmux",
  async run(session, { role, roles, count, worktree, runtime: named, sourceDir, ...name }) {
    const { host, flags } = session
    const asked: (Role | null)[] = [...(role === undefined ? [] : [role]), ...roles]
    const each = asked.length === 0 ? [null] : asked
    const folder = resolvePath(sourceDir ?? ".", host.io.cwd)
    await trustHere(session, { folder })
    const configured = await session.configured()
    const tools = await toolsOf(session, { ...name, sourceDir })
    await using runtime = await configured.runtime(name, named)
    const facts = { ...name, folder, runtime: runtime.name, store: flags.store, isManaged: false }
    const launch = { ...facts, home: configured.home, self: host.self, env: host.env }
    const context = await session.context()
    const request = {
      ...name,
      roles: each.flatMap((one) => Array.from({ length: count ?? 1 }, () => one)),
      launch: (worker: WorkerId, of: Role | null) => workerLaunch(launch, worker, of),
      worktrees: worktree === true ? tools : null,
      maxAgents: (await configured.engine()).maxAgents,
      machine: machineName(),
    }
    const work = () => spawnWorkers(context, runtime, request)
    const { result: spawned, told } = await renewHere(session, { ...name, sourceDir, work })
    const ended = spawned.filter(({ status }) => status === "ended")
    return {
      data: { runtime: runtime.name, workers: spawned },
      text: (screen) => renderSpawned(spawned, screen),
      warnings: [...told, ...ended.map(sayEnded)],
      exitCode: ended.length === 0 ? 0 : 1,
    }
  },
})

function sayEnded({ id, detail, log }: SpawnedWorker): string {
  return `${id} ended at once${detail === null ? "" : `: ${detail}`}; its log is ${log}`
}
