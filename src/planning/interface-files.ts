/** Files that make up what people see, wherever they lie. */
const INTERFACE_TYPES = "**/*.{css,scss,sass,less,html,vue,svelte,jsx,tsx,svg}"
const INTERFACE_FILE = /\.(?:css|scss|sass|less|html?|vue|svelte|jsx|tsx|svg)$/i

/** Names of folders that hold an interface, where a file of such a type is in them. */
const INTERFACE_FOLDERS = new Set(
  (
    "web www frontend front-end client ui gui components pages views screens layouts styles css public static assets " +
    "templates theme themes widgets"
  ).split(" "),
)

/**
 * The patterns of a repository's interface, from the paths of its files: folders by their names, the topmost only, and
 * files by their types. A writer who owns these and one who may write the rest never write the same file.
 */
export function interfacePatterns(files: readonly string[]): string[] {
  const folders = new Set<string>()
  for (const file of files) {
    if (!INTERFACE_FILE.test(file)) continue
    const parts = file.split("/").slice(0, -1)
    const at = parts.findIndex((part) => INTERFACE_FOLDERS.has(part.toLowerCase()))
    if (at !== -1) folders.add(`${parts.slice(0, at + 1).join("/")}/**`)
  }
  return [...[...folders].sort(), INTERFACE_TYPES]
}
