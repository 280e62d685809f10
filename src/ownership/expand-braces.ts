/** Patterns with more are refused. */
export const MAX_BRANCHES = 200

/** `a{b,c}` becomes `ab` and `ac`. Braces without a comma are literal, as in a shell. */
export function expandBraces(text: string): string[] {
  const group = findGroup(text)
  if (group === undefined) return [text]
  const found: string[] = []
  for (const choice of group.choices) {
    found.push(...expandBraces(`${text.slice(0, group.start)}${choice}${text.slice(group.end + 1)}`))
    if (found.length > MAX_BRANCHES) break
  }
  return found
}

function findGroup(text: string): { start: number; end: number; choices: string[] } | undefined {
  for (let start = text.indexOf("{"); start !== -1; start = text.indexOf("{", start + 1)) {
    if (isInBrackets(text, start)) continue
    const commas: number[] = []
    let depth = 0
    for (let at = start; at < text.length; at++) {
      const letter = text[at]
      if (letter === "[") at = Math.max(at, closingBracket(text, at))
      else if (letter === "{") depth++
      else if (letter === "," && depth === 1) commas.push(at)
      else if (letter === "}" && --depth === 0) {
        if (commas.length === 0) break
        const edges = [start, ...commas, at]
        return {
          start,
          end: at,
          choices: edges.slice(1).map((edge, index) => text.slice((edges[index] ?? 0) + 1, edge)),
        }
      }
    }
  }
  return undefined
}

function isInBrackets(text: string, place: number): boolean {
  for (let at = text.indexOf("["); at !== -1 && at < place; at = text.indexOf("[", at + 1)) {
    const end = closingBracket(text, at)
    if (end > place) return true
    at = Math.max(at, end)
  }
  return false
}

/** End of the bracket class at `start`; -1 if it is not a class. A `]` in first position is literal. */
export function closingBracket(text: string, start: number): number {
  const first = /^\[[!^]?/.exec(text.slice(start))?.[0].length ?? 1
  const end = text.indexOf("]", start + first + 1)
  const slash = text.indexOf("/", start)
  return slash !== -1 && slash < end ? -1 : end
}
