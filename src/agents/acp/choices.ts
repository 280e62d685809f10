import { asArray, asObject, asText, asTextOrNull, type Json } from "../json-line.ts"
import type { AgentJob } from "../port.ts"
import { isFree } from "./permission.ts"

export interface Choice {
  readonly method: string
  readonly params: Json
}

/** Agents' names for modes in which they ask before each write or command, and in which they never ask. */
const ASKING_MODES = ["default", "ask", "read-only"] as const
const FREE_MODES = ["bypassPermissions", "yolo", "agent-full-access", "full-access"] as const

/** As far as the agent offers them. */
export function choicesFor(job: AgentJob, opened: Json, settings: Json): Choice[] {
  return [chooseMode(job, opened, settings), chooseModel(job, opened), chooseEffort(job, opened)].flatMap(
    (choice) => choice ?? [],
  )
}

/** A request that changes nothing. */
export function repeatedChoice(opened: Json): Choice | undefined {
  const modeId = asTextOrNull(asObject(opened.modes)?.currentModeId)
  if (modeId !== null) return { method: "session/set_mode", params: { modeId } }
  const option = findOption(opened, "mode") ?? findOption(opened, "model")
  const value = asTextOrNull(option?.currentValue)
  return option === undefined || value === null ? undefined : setOption(option, value)
}

export function currentModel(opened: Json): string | null {
  return (
    asTextOrNull(findOption(opened, "model")?.currentValue) ?? asTextOrNull(asObject(opened.models)?.currentModelId)
  )
}

/** Our answers enforce the permission, so the agent must ask, unless everything is permitted. */
function chooseMode(job: AgentJob, opened: Json, settings: Json): Choice | undefined {
  const modes = asObject(opened.modes)
  const option = findOption(opened, "mode")
  const offered = asArray(modes?.availableModes).map((mode) => asText(asObject(mode)?.id))
  const names = modes === undefined ? valuesOf(option) : offered
  const configured = asTextOrNull(asObject(settings.modes)?.[job.permission])
  const wanted = configured ?? (isFree(job) ? FREE_MODES : ASKING_MODES).find((mode) => names.includes(mode))
  const current = modes === undefined ? option?.currentValue : modes.currentModeId
  if (wanted === undefined || wanted === current) return undefined
  if (modes === undefined && option !== undefined) return setOption(option, wanted)
  return { method: "session/set_mode", params: { modeId: wanted } }
}

function chooseModel({ model }: AgentJob, opened: Json): Choice | undefined {
  if (model === null || model === currentModel(opened)) return undefined
  const option = findOption(opened, "model")
  if (option !== undefined) return setOption(option, model)
  // An older form, which some agents still have.
  return asObject(opened.models) === undefined ? undefined : { method: "session/set_model", params: { modelId: model } }
}

function chooseEffort({ effort }: AgentJob, opened: Json): Choice | undefined {
  const option = findOption(opened, "thought_level")
  if (effort === null || option === undefined || !valuesOf(option).includes(effort)) return undefined
  return option.currentValue === effort ? undefined : setOption(option, effort)
}

function setOption(option: Json, value: string): Choice {
  return { method: "session/set_config_option", params: { configId: option.id, value } }
}

function findOption(opened: Json, category: string): Json | undefined {
  return asArray(opened.configOptions)
    .map(asObject)
    .find((option) => option?.category === category)
}

/** Options may come in groups. */
function valuesOf(option: Json | undefined): string[] {
  return asArray(option?.options).flatMap((item) => {
    const entry = asObject(item)
    return entry?.options === undefined ? [asText(entry?.value)] : valuesOf(entry)
  })
}
