/**
 * Returns the higher of two version ranges if one can replace the other: the same operator, and no breaking change
 * between them. Undefined otherwise.
 */
export function chooseVersion(one: string, other: string): string | undefined {
  const [a, b] = [parse(one), parse(other)]
  if (a === undefined || b === undefined || a.operator !== b.operator) return undefined
  if (a.operator !== ">=" && !isCompatible(a, b)) return undefined
  const order = compare(a.numbers, b.numbers)
  // The same version in two spellings: nothing says which one is meant.
  if (order === 0) return undefined
  return order > 0 ? one : other
}

interface Range {
  readonly operator: string
  readonly numbers: readonly number[]
}

/** Releases only: a person must decide about tags such as `-beta.2`. */
function parse(text: string): Range | undefined {
  const [, operator = "", version = ""] = /^\s*(\^|~>|~=|~|>=|==|=|v)?\s*(\d+(?:\.\d+){0,3})\s*$/.exec(text) ?? []
  return version === "" ? undefined : { operator, numbers: version.split(".").map(Number) }
}

/** `~` promises the same minor version. Below 1.0 every minor version may break. */
function isCompatible(a: Range, b: Range): boolean {
  const [major, minor] = a.numbers
  if (major !== b.numbers[0]) return false
  return (a.operator !== "~" && major !== 0) || minor === b.numbers[1]
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
