import { withoutAddresses } from "./word-families.ts"

/** The files a text names, each once. Prose has slashes and dots of its own: "and/or", "1/2", "v2.0", "e.g.", "TCP/IP". */
export function findPaths(text: string): string[] {
  const tokens = findTokens(withoutAddresses(text))
  if (tokens.length === 0) return []
  const found = new Set<string>()
  for (const token of tokens) {
    const path = token
      .replaceAll("\\", "/")
      .replace(/[.:!?\]}*_]+$/, "")
      .replace(/(?::\d+){1,2}$|#L\d+$/, "") // a line number
    if (isPath(path)) found.add(path.replace(/^\.\//, ""))
  }
  return [...found]
}

/** What stands between blanks and has a slash, or a dot inside. Most words have neither, so those are looked for first. */
function findTokens(text: string): string[] {
  const tokens: string[] = []
  const sign = /[./\\](?=\S)|file\b/g
  let end = 0
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const { index } = found
    const before = text.slice(Math.max(end, index - LONGEST_PATH), index)
    const start = index - (AT_END.exec(before)?.[0].length ?? 0)
    const after = text.slice(index + 1, start + LONGEST_PATH)
    end = index + 1 + (AT_START.exec(after)?.[0].length ?? 0)
    tokens.push(text.slice(start, end))
    sign.lastIndex = end
  }
  return tokens
}

/** What can be part of a token, where a text begins or ends with it. */
const AT_START = /^[^ \n\t\r"'`()<>,;|]+/
const AT_END = /[^ \n\t\r"'`()<>,;|]+$/

const LONGEST_PATH = 300

const PLAIN_NAMES = new Set(["Dockerfile", "Makefile", "Jenkinsfile", "Gemfile", "Procfile"])

const EXTENSIONS = new Set(
  (
    "ts tsx js jsx mjs cjs mts cts py go rs java kt swift rb php c h cc cpp hpp cs fs ex exs erl clj scala lua dart sh " +
    "bash zsh ps1 sql html css scss less vue svelte json jsonc yaml yml toml xml ini cfg conf env lock md mdx rst txt " +
    "csv proto graphql gql tf gradle svg png"
  ).split(" "),
)

/** Folders that prose does not put before a slash. */
const SOURCE_FOLDERS = new Set("src lib packages apps internal cmd pkg scripts fixtures node_modules".split(" "))

/** Folders whose names are words of prose as well ("docs/tests"): only a longer path counts. */
const WORD_FOLDERS = new Set("app test tests docs config public bin bench components pages".split(" "))

const NAMES_LIKE_FILES = /^(?:node|next|vue|react|express|nuxt|three|d3|ember|backbone|chart|alpine)\.js$/i

function isPath(token: string): boolean {
  if (PLAIN_NAMES.has(token)) return true
  const segments = token.split("/")
  const last = segments.at(-1) ?? ""
  if (NAMES_LIKE_FILES.test(last)) return false
  const extension =
    /^\.?[\w@[\]*-][\w@.[\]*-]*\.([a-z][a-z0-9]*)$/i.exec(last)?.[1] ?? /^\.([a-z]{3,})$/.exec(last)?.[1]
  if (extension !== undefined && EXTENSIONS.has(extension.toLowerCase())) return true
  if (segments.length < 2) return false
  const first = segments[0] ?? ""
  if (first === "." || first === ".." || first === "~") return segments.some((each) => /\w/.test(each))
  if (SOURCE_FOLDERS.has(first)) return true
  return WORD_FOLDERS.has(first) && (segments.length > 2 || last === "")
}
