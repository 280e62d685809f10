/** Files that mostly re-export others, or lists that every task appends to. */
const GATHERING_FILES = [
  "**/index.{ts,js,mts,mjs,cts,cjs,tsx,jsx}",
  "**/__init__.py",
  "**/mod.rs",
  "**/lib.rs",
  "**/{CHANGELOG,CHANGES,HISTORY,NEWS}.{md,rst,txt}",
] as const

/** Concurrent tasks may own these if the engine merges their changes. */
export function jointPatterns(shared: readonly string[]): readonly string[] {
  return [...shared, ...GATHERING_FILES]
}
