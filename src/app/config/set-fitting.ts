import { AppError } from "../../kernel/errors.ts"
import { ID_RULE, isId, quoteInput } from "../../kernel/ids.ts"
import { leaseError } from "./config-error.ts"
import { type ConfigEdit, type NewSetting, setConfig } from "./edit-config.ts"
import { configRow, isConfigKey } from "./keys.ts"
import { loadConfig } from "./load-config.ts"
import { isConfigValue, parseValue } from "./parse-value.ts"
import type { ConfigInput } from "./read-layers.ts"

/** Sets a key, unless its value would stop every other command because it does not fit another setting. */
export async function setFitting(input: Where, setting: NewSetting): Promise<ConfigEdit> {
  await assertFits(input, setting)
  return setConfig(setting)
}

type Where = Pick<ConfigInput, "env" | "cwd">

async function assertFits(input: Where, { key, value: text }: NewSetting): Promise<void> {
  if (!isConfigKey(key)) return
  const row = configRow(key)
  const value = parseValue(row, text)
  if (!isConfigValue(row, value)) return
  if ((key === "defaults.project" || key === "defaults.team") && value !== "" && !isId(String(value)))
    throw new AppError("config.bad_value", `${key} ${quoteInput(text)} is not valid; use ${ID_RULE}`, { key })
  // Where the settings are broken already, this may be what mends them.
  const before = await loadConfig(input).then(
    ({ all }) => all(),
    () => undefined,
  )
  if (before === undefined) return
  const after = { ...before, [key]: value }
  if (after["claim.renewSeconds"] >= after["claim.workerLeaseSeconds"]) throw leaseError(after)
}
