import { withoutAddresses } from "./word-families.ts"

/** Prose has slashes and dots too: "and/or", "1/2", "v2.0", "e.g.", "TCP/IP". */
export function findPaths(text: string): string[] {
  const tokens = findTokens(withoutAddresses(text))
  const found: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const path = (tokens[at] as string)
      .replaceAll("\\", "/")
      .replace(/[.:!?\]}*_]+$/, "")
      .replace(/(?::\d+){1,2}$|#L\d+$/, "") // a line number
    if (isPath(path)) found.push(path.replace(/^\.\//, ""))
  }
  return found.length < 2 ? found : [...new Set(found)]
}

/** Words with a slash, or a dot inside. Few words have one, so this searches for those first. */
function findTokens(text: string): string[] {
  const tokens: string[] = []
  const sign = /(?:[./\\](?=\S)|file\b)[^ \n\t\r"'`()<>,;|]{0,300}/g // with the rest of the token
  let end = 0
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const { index } = found
    const before = text.slice(Math.max(end, index - LONGEST_PATH), index)
    const lastWord = before.slice(before.lastIndexOf(" ") + 1) // a search for an end begins everywhere, so keep it short
    const start = index - lastWord.length + lastWord.search(AT_END)
    end = Math.min(index + found[0].length, Math.max(index + 1, start + LONGEST_PATH))
    tokens.push(text.slice(start, end))
    sign.lastIndex = end
  }
  return tokens
}

const AT_END = /[^ \n\t\r"'`()<>,;|]*$/

const LONGEST_PATH = 300

const PLAIN_NAMES = new Set(["Dockerfile", "Makefile", "Jenkinsfile", "Gemfile", "Procfile"])

const EXTENSIONS = new Set(
  (
    "ts tsx js jsx mjs cjs mts cts py go rs java kt swift rb php c h cc cpp hpp cs fs ex exs erl clj scala lua dart sh " +
    "bash zsh ps1 sql html css scss less vue svelte json jsonc yaml yml toml xml ini cfg conf env lock md mdx rst txt " +
    "csv proto graphql gql tf gradle svg png"
  ).split(" "),
)

/** Prose does not put these before a slash. */
const SOURCE_FOLDERS = new Set("src lib packages apps internal cmd pkg scripts fixtures node_modules".split(" "))

/** Also words of prose ("docs/tests"): only a longer path counts. */
const WORD_FOLDERS = new Set("app test tests docs config public bin bench components pages".split(" "))

const NAMES_LIKE_FILES = /^(?:node|next|vue|react|express|nuxt|three|d3|ember|backbone|chart|alpine)\.js$/i

const FILE_NAME = /^\.?[\w@[\]*-][\w@.[\]*-]*\.\w+$|^\.[a-z]{3,}$/

function isPath(token: string): boolean {
  if (PLAIN_NAMES.has(token)) return true
  const lastSlash = token.lastIndexOf("/")
  const name = token.slice(lastSlash + 1)
  if (NAMES_LIKE_FILES.test(name)) return false
  const extension = name.slice(name.lastIndexOf(".") + 1)
  if (EXTENSIONS.has(extension.toLowerCase()) && FILE_NAME.test(name)) return true
  if (lastSlash === -1) return false
  const firstSlash = token.indexOf("/")
  const folder = token.slice(0, firstSlash)
  if (folder === "." || folder === ".." || folder === "~") return /\w/.test(token)
  if (SOURCE_FOLDERS.has(folder)) return true
  return WORD_FOLDERS.has(folder) && (firstSlash < lastSlash || name === "")
}
