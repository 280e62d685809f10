const INTERFACE_TYPES = "**/*.{css,scss,sass,less,html,vue,svelte,jsx,tsx,svg}"
const INTERFACE_FILE = /\.(?:css|scss|sass|less|html?|vue|svelte|jsx|tsx|svg)$/i

/** Only if they contain such a file. */
const INTERFACE_FOLDERS = new Set(
  (
    "web www frontend front-end client ui gui components pages views screens layouts styles css public static assets " +
    "templates theme themes widgets"
  ).split(" "),
)

/**
 * Files of the user interface: the topmost folders by name, and files by type. One writer owns these; another may
 * write the rest.
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
