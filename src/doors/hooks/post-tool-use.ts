import { makeMask } from "../../lib/text/mask-secrets.ts"
import { maskedEnd } from "../../lib/text/masked-clip.ts"
import { findWrite } from "../../ownership/find-write.ts"
import { exitCodeOf, KEPT_OUTPUT, type SeenRun, type SeenUse, SHELL_TOOLS } from "../../tasks/observed.ts"
import { noteUse } from "../../tasks/operations/observe.ts"
import { type HookCall, type HookHandler, type HookScene, type HookTool, NO_ANSWER } from "./hook-call.ts"
import { repositoryPaths } from "./repository-paths.ts"

/** Renews the worker's claim and records its checks and written files as evidence. */
export const postToolUse: HookHandler = async (call, scene) => {
  const { tool } = call
  if (tool === null || scene.seat === null || scene.seat.worker === null) return NO_ANSWER
  const hasFailed = typeof call.raw.error === "string"
  const run = SHELL_TOOLS.has(tool.name) ? runOf(tool, call, scene) : null
  await noteUse(scene.context, scene.seat, { id: tool.id, run, files: hasFailed ? [] : filesOf(tool, call, scene) })
  return NO_ANSWER
}

function runOf({ input, response }: HookTool, { raw, host: program }: HookCall, { host }: HookScene): SeenRun | null {
  const line = input.command ?? input.cmd
  if (typeof line !== "string") return null
  const mask = makeMask(host.env)
  const failure = typeof raw.error === "string" ? raw.error : undefined
  const whole = failure ?? outputOf(response)
  const told = Object(response) as Record<string, unknown>
  // From our plugin for OpenCode.
  const code = told.exit
  const wasCut = told.interrupted === true || told.backgroundTaskId !== undefined
  // Only Claude Code reports a failed command by another event.
  const ok = program === "claude" && failure === undefined && !wasCut
  const exitCode = Number.isSafeInteger(code) ? Number(code) : exitCodeOf({ output: whole, ok, program })
  return { line: mask(line), exitCode, output: maskedEnd(mask, whole, KEPT_OUTPUT) }
}

function outputOf(response: unknown): string {
  if (typeof response === "string") return response
  const told = Object(response) as Record<string, unknown>
  const texts = [told.stdout, told.stderr, told.output, told.llmContent].filter((value) => typeof value === "string")
  return texts.filter((text) => text !== "").join("\n")
}

function filesOf(tool: HookTool, { cwd }: HookCall, { host, folder }: HookScene): SeenUse["files"] {
  const write = findWrite({ tool: tool.name, input: tool.input })
  if (write === undefined || "problem" in write) return []
  const here = cwd || host.io.cwd
  const { pathsOf } = repositoryPaths({ folder: folder || here, cwd: here, userHome: host.userHome })
  const isNew = (Object(tool.response) as Record<string, unknown>).type === "create"
  return write.files.flatMap((file) => {
    const path = pathsOf(file)[0]
    return path === undefined || path === "" ? [] : [{ path, action: isNew ? ("created" as const) : "modified" }]
  })
}
