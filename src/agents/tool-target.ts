const MAX_TARGET = 120
/** The most useful first. */
const TARGETS = ["command", "file_path", "path", "pattern", "query", "url", "description"]

/** The files of a call, or the most useful part of its input. */
export function targetOf({ files, input }: { readonly files: readonly string[]; readonly input: string }): string {
  const [first, ...more] = files
  if (first !== undefined) return more.length === 0 ? first : `${first} +${more.length}`
  return (namedIn(input) ?? (input.startsWith("{") ? "" : input)).slice(0, MAX_TARGET)
}

/** The input may be cut, so it is not parsed as JSON. */
function namedIn(input: string): string | undefined {
  for (const name of TARGETS) {
    const [, value] = new RegExp(`"${name}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)`).exec(input) ?? []
    if (value !== undefined && value !== "") return value.replaceAll(/\\(["\\/])/g, "$1").replaceAll(/\\[nt]/g, " ")
  }
  return undefined
}
