/** Most of these only gather what other files hold, or are lists to which everybody adds. */
const GATHERING_FILES = [
  "**/index.{ts,js,mts,mjs,cts,cjs,tsx,jsx}",
  "**/__init__.py",
  "**/mod.rs",
  "**/lib.rs",
  "**/{CHANGELOG,CHANGES,HISTORY,NEWS}.{md,rst,txt}",
] as const

/** Files that several tasks may name at the same time where the engine merges what they change. */
export function jointPatterns(shared: readonly string[]): readonly string[] {
  return [...shared, ...GATHERING_FILES]
}
