import {
  adviseLogin,
  findDamage,
  isOn,
  isTable,
  pick,
  plainUrl,
  type ReadAccount,
  readTable,
  type Table,
  tableIn,
  underHome,
  variablesIn,
} from "../account.ts"
import { claudeFacts } from "./facts.ts"

const PROVIDER_SETTINGS = [
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "gcpAuthRefresh",
  "forceLoginMethod",
  "forceLoginOrgUUID",
  "modelOverrides",
]

type Env = Readonly<Record<string, string | undefined>>

interface Provider {
  readonly switch: string
  /** Passed on only with their provider. */
  readonly variables: readonly string[]
  say(env: Env): string
}

const PROVIDERS: readonly Provider[] = [
  {
    switch: "CLAUDE_CODE_USE_BEDROCK",
    variables: ["AWS_*"],
    say: (env) => place("Amazon Bedrock", { region: env.AWS_REGION ?? env.AWS_DEFAULT_REGION }),
  },
  {
    switch: "CLAUDE_CODE_USE_VERTEX",
    variables: ["GOOGLE_*", "CLOUDSDK_*", "CLOUD_ML_REGION", "VERTEX_REGION_*", "GCLOUD_PROJECT"],
    say: (env) => place("Google Vertex AI", { region: env.CLOUD_ML_REGION, project: env.ANTHROPIC_VERTEX_PROJECT_ID }),
  },
  {
    switch: "CLAUDE_CODE_USE_FOUNDRY",
    variables: ["AZURE_*", "IDENTITY_*", "MSI_*"],
    say: (env) => place("Microsoft Foundry", { resource: env.ANTHROPIC_FOUNDRY_RESOURCE }),
  },
]

export const readClaudeAccount: ReadAccount = (env, files, isProfile = false) => {
  const folder = env.CLAUDE_CONFIG_DIR ?? `${env.HOME ?? ""}/.claude`
  const file = `${folder}/settings.json`
  const settings = readTable(files, file)
  const { CLAUDE_CONFIG_DIR: _, ...own } = variablesIn(tableIn(settings, "env"))
  const all: Env = { ...env, ...own }
  const provider = PROVIDERS.find((each) => isOn(all[each.switch]))
  const shown = underHome(file, env)
  const login = `${folder}/.credentials.json`
  const key = provider === undefined ? findKey(all, own, { settings, file: shown }) : undefined
  const hasLogin = files.has(login)
  const how = provider?.say(all) ?? key ?? (hasLogin ? `the login in ${underHome(login, env)}` : "")
  const isReached = how !== ""
  // On a Mac the login is in the keychain.
  const isLoggedIn = isReached ? true : process.platform === "darwin" ? null : false
  const advice = adviseLogin(claudeFacts.login, isProfile ? folder : null, env)
  return {
    env: own,
    variables: provider?.variables ?? [],
    settings: pick(settings, PROVIDER_SETTINGS),
    models: {},
    reach: isReached ? `${how}${sayBase(all)}` : "",
    missing: findDamage(files, file, env) ?? (isReached ? null : advice),
    isLoggedIn,
    own: { ...userFiles(folder, files.has), servers: readUserServers(env, files.read) },
  }
}

const KEYS = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"] as const

function findKey(all: Env, own: Table, { settings, file }: { settings: Table; file: string }): string | undefined {
  const name = KEYS.find((each) => all[each] !== undefined)
  if (name !== undefined) return name in own ? `${name} of ${file}` : name
  return typeof settings.apiKeyHelper === "string" ? `apiKeyHelper of ${file}` : undefined
}

function sayBase(env: Env): string {
  const names = ["ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL"]
  const url = names.map((name) => env[name]).find((value) => value !== undefined)
  return url === undefined ? "" : ` at ${plainUrl(url)}`
}

function place(name: string, facts: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(facts).flatMap(([what, value]) => (value === undefined ? [] : [`${what} ${value}`]))
  return [name, ...known].join(", ")
}

function userFiles(folder: string, has: (path: string) => boolean) {
  const present = (path: string) => (has(path) ? [path] : [])
  return { instructions: present(`${folder}/CLAUDE.md`), skills: present(`${folder}/skills`) }
}

/** The file also holds its state. */
function readUserServers(env: Env, read: (path: string) => string | undefined): Table {
  const file =
    env.CLAUDE_CONFIG_DIR === undefined ? `${env.HOME ?? ""}/.claude.json` : `${env.CLAUDE_CONFIG_DIR}/.claude.json`
  const servers = readTable({ read }, file).mcpServers
  return isTable(servers) ? servers : {}
}
