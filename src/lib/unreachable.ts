/** Ends a `switch` over a closed union: the compiler shows the missing case, and a corrupt value at run time throws. */
export function unreachable(value: never): never {
  throw new Error(`unreachable value: ${JSON.stringify(value)}`)
}
