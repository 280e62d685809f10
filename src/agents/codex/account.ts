import {
  adviseLogin,
  type Files,
  findDamage,
  isTable,
  NO_EXTRAS,
  parseToml,
  pick,
  plainUrl,
  type ReadAccount,
  readDotEnv,
  type Table,
  tableIn,
  underHome,
} from "../account.ts"
import { codexFacts } from "./facts.ts"

const PROVIDER_SETTINGS = [
  "model_provider",
  "model_providers",
  "openai_base_url",
  "chatgpt_base_url",
  "forced_login_method",
  "forced_chatgpt_workspace_id",
  "cli_auth_credentials_store",
  "preferred_auth_method",
  "oss_provider",
  "model_context_window",
  "model_max_output_tokens",
  "model_catalog_json",
]

const BUILT_IN = ["openai", "ollama", "ollama-chat", "lmstudio", "oss", "amazon-bedrock"]

type Env = Readonly<Record<string, string | undefined>>

export const readCodexAccount: ReadAccount = (env, files, isProfile = false) => {
  const folder = codexHome(env)
  const file = `${folder}/config.toml`
  const written = parseToml(files.read(file))
  // The default profile of the file overrides the rest.
  const settings = { ...written, ...tableIn(tableIn(written, "profiles"), String(written.profile ?? "")) }
  const own = Object.fromEntries(
    Object.entries(readDotEnv(files, `${folder}/.env`)).filter(([name]) => !name.startsWith("CODEX_")),
  )
  const all = { ...env, ...own }
  const name = typeof settings.model_provider === "string" ? settings.model_provider : "openai"
  const provider = tableIn(tableIn(settings, "model_providers"), name)
  const isCustom = Object.keys(provider).length > 0
  const isUndefined = !isCustom && !BUILT_IN.includes(name)
  const standing = isUndefined
    ? lackProvider(name, underHome(file, env))
    : isCustom
      ? reachProvider({ name, provider, file: underHome(file, env) }, all)
      : reachOpenai(all, { folder, has: files.has, baseUrl: settings.openai_base_url, isProfile })
  return {
    ...standing,
    env: own,
    variables: keysOf(provider),
    settings: pick(settings, PROVIDER_SETTINGS),
    missing: findDamage(files, file, env) ?? standing.missing,
    models: typeof settings.model === "string" ? sameModel(settings.model) : {},
    own: { ...NO_EXTRAS, ...userFiles(folder, files.has), servers: tableIn(settings, "mcp_servers") },
  }
}

export function codexHome(env: Env): string {
  return env.CODEX_HOME ?? `${env.HOME ?? ""}/.codex`
}

type Standing = Pick<ReturnType<ReadAccount>, "reach" | "missing" | "isLoggedIn">

function lackProvider(name: string, file: string): Standing {
  const missing = `${file} names the model_provider ${name} and does not define it; add [model_providers.${name}] or name another`
  return { reach: "", missing, isLoggedIn: false }
}

function reachProvider({ name, provider, file }: { name: string; provider: Table; file: string }, env: Env): Standing {
  const { env_key: key, base_url: url } = provider
  const at = typeof url === "string" ? ` at ${plainUrl(url)}` : ""
  const reach = `provider ${name} of ${file}${at}`
  if (typeof key !== "string") return { reach, missing: null, isLoggedIn: true }
  return env[key] === undefined
    ? { reach, missing: `the provider ${name} of ${file} needs the variable ${key}`, isLoggedIn: false }
    : { reach: `${reach} with ${key}`, missing: null, isLoggedIn: true }
}

interface OwnPlace {
  readonly folder: string
  readonly has: Files["has"]
  readonly baseUrl: unknown
  readonly isProfile: boolean
}

function reachOpenai(env: Env, { folder, has, baseUrl, isProfile }: OwnPlace): Standing {
  const at = typeof baseUrl === "string" ? ` at ${plainUrl(baseUrl)}` : ""
  const file = `${folder}/auth.json`
  const key = ["CODEX_API_KEY", "OPENAI_API_KEY"].find((name) => env[name] !== undefined)
  const how = env.CODEX_API_KEY === undefined && has(file) ? `the login in ${underHome(file, env)}` : key
  if (how !== undefined) return { reach: `${how}${at}`, missing: null, isLoggedIn: true }
  const isLoggedIn = process.platform === "darwin" ? null : false
  const missing = adviseLogin(codexFacts.login, isProfile ? folder : null, env)
  return { reach: "", missing, isLoggedIn }
}

function keysOf({ env_key, env_http_headers }: Table): string[] {
  const headers = isTable(env_http_headers) ? Object.values(env_http_headers) : []
  return [env_key, ...headers].filter((name) => typeof name === "string")
}

function sameModel(model: string) {
  return { haiku: model, sonnet: model, opus: model }
}

function userFiles(folder: string, has: Files["has"]) {
  const present = (path: string) => (has(path) ? [path] : [])
  return { instructions: present(`${folder}/AGENTS.md`), skills: present(`${folder}/skills`) }
}
