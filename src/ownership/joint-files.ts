/** Files that mostly re-export other files, or lists that every task appends to. */
const GATHERING_FILES = [
  "**/index.{ts,js,mts,mjs,cts,cjs,tsx,jsx}",
  "**/__init__.py",
  "**/mod.rs",
  "**/lib.rs",
  "**/{CHANGELOG,CHANGES,HISTORY,NEWS}.{md,rst,txt}",
] as const

/** Files that several concurrent tasks may own when the engine merges their changes. */
export function jointPatterns(shared: readonly string[]): readonly string[] {
  return [...shared, ...GATHERING_FILES]
}
