import {
  adviseLogin,
  type Files,
  findDamage,
  isOn,
  NO_EXTRAS,
  plainUrl,
  type ReadAccount,
  readDotEnv,
  readTable,
  tableIn,
  underHome,
} from "../account.ts"
import { geminiFacts } from "./facts.ts"

type Env = Readonly<Record<string, string | undefined>>

export const readGeminiAccount: ReadAccount = (env, files, isProfile = false) => {
  const folder = `${geminiHome(env)}/.gemini`
  const settings = readTable(files, `${folder}/settings.json`)
  // The environment overrides the file.
  const own = Object.fromEntries(
    Object.entries(userDotEnv(env, files)).filter(
      ([name]) => env[name] === undefined && !name.startsWith("GEMINI_CLI_"),
    ),
  )
  const all = { ...env, ...own }
  const auth = tableIn(tableIn(settings, "security"), "auth")
  const written = auth.selectedType ?? settings.selectedAuthType
  const type = typeof written === "string" ? written : typeFromEnv(all)
  const login = ["oauth_creds.json", "gemini-credentials.json"].map((name) => `${folder}/${name}`).find(files.has)
  const standing = reachBy(type, all, { login, profileFolder: isProfile ? geminiHome(env) : null })
  return {
    env: own,
    variables: [],
    models: {},
    settings: { security: { auth: { ...auth, selectedType: type } } },
    ...standing,
    missing: findDamage(files, `${folder}/settings.json`, env) ?? standing.missing,
    own: {
      ...NO_EXTRAS,
      instructions: files.has(`${folder}/GEMINI.md`) ? [`${folder}/GEMINI.md`] : [],
      skills: files.has(`${folder}/skills`) ? [`${folder}/skills`] : [],
      servers: tableIn(settings, "mcpServers"),
    },
  }
}

/** Holds `.gemini`. */
export function geminiHome(env: Env): string {
  return env.GEMINI_CLI_HOME ?? env.HOME ?? ""
}

/** Gemini reads only the first that exists. */
function userDotEnv(env: Env, files: Files): Record<string, string> {
  const home = geminiHome(env)
  const file = [`${home}/.gemini/.env`, `${home}/.env`].find(files.has)
  return file === undefined ? {} : readDotEnv(files, file)
}

function typeFromEnv(env: Env): string {
  if (isOn(env.GOOGLE_GENAI_USE_GCA)) return "oauth-personal"
  if (isOn(env.GOOGLE_GENAI_USE_VERTEXAI)) return "vertex-ai"
  return env.GEMINI_API_KEY === undefined ? "oauth-personal" : "gemini-api-key"
}

type Standing = Pick<ReturnType<ReadAccount>, "reach" | "missing" | "isLoggedIn">

interface OwnPlace {
  readonly login: string | undefined
  readonly profileFolder: string | null
}

function reachBy(type: string, env: Env, { login, profileFolder }: OwnPlace): Standing {
  const base = type === "vertex-ai" ? env.GOOGLE_VERTEX_BASE_URL : env.GOOGLE_GEMINI_BASE_URL
  const at = base === undefined ? "" : ` at ${plainUrl(base)}`
  const reached = (how: string): Standing => ({ reach: `${how}${at}`, missing: null, isLoggedIn: true })
  if (type === "vertex-ai") {
    const where = [env.GOOGLE_CLOUD_PROJECT, env.GOOGLE_CLOUD_LOCATION].filter((value) => value !== undefined)
    return reached(["Google Vertex AI", ...where].join(", "))
  }
  if (type === "gemini-api-key") {
    if (env.GEMINI_API_KEY !== undefined) return reached("GEMINI_API_KEY")
    // A typed key is in a keychain.
    return { reach: `its API key${at}`, missing: null, isLoggedIn: login === undefined ? null : true }
  }
  if (type === "oauth-personal") {
    if (login !== undefined) return reached(`the login in ${underHome(login, env)}`)
    return {
      reach: "",
      missing: adviseLogin(geminiFacts.login, profileFolder, env),
      isLoggedIn: process.platform === "darwin" ? null : false,
    }
  }
  return { reach: `${type}${at}`, missing: null, isLoggedIn: null }
}
