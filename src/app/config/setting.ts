import * as v from "valibot"

export type SettingValue = string | number | boolean | readonly string[] | readonly number[]

/** The schema checks files, variables, flags and `config set`, and is published as JSON Schema. */
export interface Setting<Value extends SettingValue = SettingValue> extends SettingOptions {
  readonly default: Value
  readonly description: string
  readonly expects: string
  /** Built on demand: a call checks only the settings that are set. */
  readonly schema: () => v.GenericSchema<Value>
  /** Parses a variable or an argument. Returns text of another form unchanged, so that the schema refuses it. */
  readonly parse: (text: string) => unknown
}

interface SettingOptions {
  /** Relative to the file that sets it, or to the current folder. */
  readonly isPath?: true
  /** Decides which programs run or what they may do, so a repository's file cannot set it. */
  readonly isForUserOnly?: true
}

interface TextOptions extends SettingOptions {
  readonly pattern?: RegExp
  readonly expects?: string
}

interface NumberOptions extends SettingOptions {
  readonly min?: number
  readonly max?: number
}

/** Timers with a longer delay fire at once. */
const MAX_TIMER_MS = 2_147_483_647

export function text(value: string, description: string, options: TextOptions = {}): Setting<string> {
  const { pattern, expects = "a text" } = options
  const schema = () => (pattern === undefined ? v.string() : v.pipe(v.string(), v.regex(pattern)))
  return { ...options, default: value, description, expects, schema, parse: (given) => given }
}

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  value: NoInfer<Choice>,
  description: string,
  options: SettingOptions = {},
): Setting<Choice> {
  const schema = () => v.picklist(choices)
  const expects = `one of ${choices.join(", ")}`
  return { ...options, default: value, description, expects, schema, parse: (given) => given }
}

export function flag(value: boolean, description: string, options: SettingOptions = {}): Setting<boolean> {
  return { ...options, default: value, description, expects: "true or false", schema: v.boolean, parse: parseFlag }
}

export function wholeNumber(value: number, description: string, options: NumberOptions = {}): Setting<number> {
  const expects = `a whole number ${describeRange(options)}`
  return { ...options, default: value, description, expects, schema: () => wholeSchema(options), parse: parseWhole }
}

export function seconds(value: number, description: string, options: NumberOptions = {}): Setting<number> {
  return wholeNumber(value, description, { max: Math.trunc(MAX_TIMER_MS / 1000), ...options })
}

export function milliseconds(value: number, description: string, options: NumberOptions = {}): Setting<number> {
  return wholeNumber(value, description, { max: MAX_TIMER_MS, ...options })
}

export function secondsList(value: readonly number[], description: string): Setting<readonly number[]> {
  const options = { max: Math.trunc(MAX_TIMER_MS / 1000) }
  const expects = `a list of whole numbers ${describeRange(options)}`
  const parse = (given: string) => parseList(given).map((item) => (typeof item === "string" ? parseWhole(item) : item))
  return { default: value, description, expects, schema: () => v.array(wholeSchema(options)), parse }
}

export function decimal(value: number, description: string): Setting<number> {
  const schema = () => v.pipe(v.number(), v.finite(), v.minValue(0))
  return { default: value, description, expects: `a number ${describeRange({})}`, schema, parse: parseDecimal }
}

export function texts(
  value: readonly string[],
  description: string,
  options: TextOptions = {},
): Setting<readonly string[]> {
  const { pattern = /\S/, expects = "texts" } = options
  const schema = () => v.array(v.pipe(v.string(), v.regex(pattern)))
  return { ...options, default: value, description, expects: `a list of ${expects}`, schema, parse: parseList }
}

/** A list of words, or a command line that `commandOf` splits as a shell would. */
export function command(description: string): Setting<readonly string[]> {
  const parse = (given: string) => {
    const line = given.trim()
    // Stays whole: only the user of the line can see whether it is the path of a program.
    return /[\s"'\\]/.test(line) && !line.startsWith("[") ? [line] : parseList(given)
  }
  return { ...texts([], description, { isForUserOnly: true }), parse }
}

function wholeSchema({ min = 0, max }: NumberOptions) {
  const whole = v.pipe(v.number(), v.integer(), v.safeInteger(), v.minValue(min))
  return max === undefined ? whole : v.pipe(whole, v.maxValue(max))
}

function describeRange({ min = 0, max }: NumberOptions): string {
  return max === undefined ? `of at least ${min}` : `from ${min} to ${max}`
}

function parseWhole(given: string): unknown {
  return /^\s*-?[0-9]+\s*$/.test(given) ? Number(given) : given
}

function parseDecimal(given: string): unknown {
  return /^\s*-?[0-9]+(?:\.[0-9]+)?\s*$/.test(given) ? Number(given) : given
}

function parseFlag(given: string): unknown {
  const word = given.trim().toLowerCase()
  if (word === "true" || word === "1") return true
  if (word === "false" || word === "0") return false
  return given
}

/** A JSON array, or items between commas. */
function parseList(given: string): unknown[] {
  if (given.trim().startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(given)
      if (Array.isArray(parsed)) return parsed
    } catch {
      // Not JSON: the first item starts with a bracket.
    }
  }
  return given
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
}
