import { dirname, join } from "node:path"
import {
  adviseLogin,
  type Files,
  findDamage,
  NO_EXTRAS,
  parseTable,
  pick,
  plainUrl,
  type ReadAccount,
  readTable,
  type Table,
  tableIn,
  underHome,
} from "../account.ts"
import type { Models } from "../program-facts.ts"
import { opencodeFacts } from "./facts.ts"

type Env = Readonly<Record<string, string | undefined>>

const PROVIDER_SETTINGS = ["provider", "disabled_providers", "enabled_providers", "small_model"]

export const PROVIDER_KEYS = [
  "ANTHROPIC",
  "OPENAI",
  "GEMINI",
  "GOOGLE_GENERATIVE_AI",
  "OPENROUTER",
  "OPENCODE",
  "GROQ",
  "MISTRAL",
  "DEEPSEEK",
  "XAI",
  "TOGETHER",
  "FIREWORKS",
  "CEREBRAS",
  "MOONSHOT",
  "ZHIPU",
  "AZURE",
].map((name) => `${name}_API_KEY`)

/** Passed on only where the settings name that cloud. */
const CLOUD_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  "amazon-bedrock": ["AWS_*"],
  "google-vertex": ["GOOGLE_*", "CLOUDSDK_*", "VERTEX_LOCATION"],
  "google-vertex-anthropic": ["GOOGLE_*", "CLOUDSDK_*", "VERTEX_LOCATION"],
  azure: ["AZURE_*"],
}

export const readOpencodeAccount: ReadAccount = (env, files, isProfile = false) => {
  const folder = `${env.XDG_CONFIG_HOME ?? `${env.HOME ?? ""}/.config`}/opencode`
  const { settings, file, variables, paths } = readSettings(folder, env, files)
  const providers = tableIn(settings, "provider")
  const login = `${env.XDG_DATA_HOME ?? `${env.HOME ?? ""}/.local/share`}/opencode/auth.json`
  const clouds = [...Object.keys(providers), String(settings.model ?? "").split("/")[0] ?? ""]
  const ways = [
    ...Object.entries(providers).map(([name, provider]) => sayProvider(name, provider, underHome(file, env))),
    ...Object.keys(readTable(files, login)).map((name) => `the login for ${name} in ${underHome(login, env)}`),
    ...PROVIDER_KEYS.filter((name) => env[name] !== undefined),
  ]
  const advice = adviseLogin(opencodeFacts.login, isProfile ? dirname(dirname(folder)) : null, env)
  const damage = [...paths, login].map((path) => findDamage(files, path, env)).find((found) => found !== null)
  return {
    env: {},
    variables: [...variables, ...clouds.flatMap((name) => CLOUD_VARIABLES[name] ?? [])],
    settings: pick(settings, PROVIDER_SETTINGS),
    models: modelsOf(settings),
    reach: ways.join("; "),
    missing: damage ?? (ways.length > 0 ? null : advice),
    isLoggedIn: ways.length > 0,
    own: {
      ...NO_EXTRAS,
      instructions: files.has(`${folder}/AGENTS.md`) ? [`${folder}/AGENTS.md`] : [],
      skills: [`${folder}/skills`, `${folder}/skill`].filter(files.has),
      servers: tableIn(settings, "mcp"),
    },
  }
}

/** Later files override earlier ones. Texts in them may name variables and files. */
function readSettings(folder: string, env: Env, files: Files) {
  const names = ["config.json", "opencode.json", "opencode.jsonc"].map((name) => `${folder}/${name}`)
  const paths = [...names, env.OPENCODE_CONFIG ?? ""].filter((path) => path !== "" && files.has(path))
  const texts = paths.map((path) => ({ path, text: files.read(path) ?? "" }))
  const variables = texts.flatMap(({ text }) => [...text.matchAll(/\{env:(\w+)\}/g)].map(([, name = ""]) => name))
  let settings: Table = {}
  for (const { path, text } of texts) {
    const here = parseTable(anchorFiles(text, dirname(path)))
    settings = { ...settings, ...here, provider: { ...tableIn(settings, "provider"), ...tableIn(here, "provider") } }
  }
  return { settings, variables, paths, file: paths.at(-1) ?? `${folder}/opencode.json` }
}

/** Our settings are in another folder. */
function anchorFiles(text: string, folder: string): string {
  return text.replaceAll(/\{file:([^}]+)\}/g, (_, path: string) =>
    /^[~/]/.test(path.trim()) ? `{file:${path}}` : `{file:${join(folder, path.trim())}}`,
  )
}

function sayProvider(name: string, provider: unknown, file: string): string {
  const url = tableIn(Object(provider) as Table, "options").baseURL
  const at = typeof url === "string" && !url.startsWith("{") ? ` at ${plainUrl(url)}` : ""
  return `provider ${name} of ${file}${at}`
}

/** Where it is of another provider than our built-in choice. */
function modelsOf({ model, small_model: small }: Table): Partial<Models> {
  if (typeof model !== "string" || model.startsWith("anthropic/")) return {}
  return { haiku: typeof small === "string" ? small : model, sonnet: model, opus: model }
}
