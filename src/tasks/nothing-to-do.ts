const BEGIN = "Nothing to do: "

export function nothingToDoResult(reason: string): string {
  return `${BEGIN}${reason}`
}

/** The reason, if the task was resolved without a change. */
export function reasonForNothing(result: string | null): string | null {
  if (result === null || !result.startsWith(BEGIN)) return null
  return result.slice(BEGIN.length).split("\n", 1)[0] ?? ""
}
