// The language that most files of a commit are written in.
import type { Git } from "./run-program.ts"

const LANGUAGES: Record<string, string> = {
  ...{ py: "Python", go: "Go", rs: "Rust", rb: "Ruby", php: "PHP", java: "Java", kt: "Kotlin", cs: "C#" },
  ...{ js: "JavaScript", mjs: "JavaScript", cjs: "JavaScript", jsx: "JavaScript", ts: "TypeScript", tsx: "TypeScript" },
  ...{ c: "C", h: "C", cc: "C++", cpp: "C++", hpp: "C++", sh: "Shell", bash: "Shell", bats: "Shell", lua: "Lua" },
  ...{ ex: "Elixir", exs: "Elixir", swift: "Swift", zig: "Zig", hs: "Haskell", scala: "Scala", vim: "Vim script" },
}

export async function languageOf(git: Git, commit: string): Promise<string> {
  const files = (await git("ls-tree", "-r", "--name-only", "-z", commit)).split("\0")
  const counts = new Map<string, number>()
  for (const file of files) {
    const language = LANGUAGES[/\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ""]
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most?.[0] ?? "other"
}
