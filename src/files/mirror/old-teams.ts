/** Counts folders of a home that look like teams in files, by name only. */
export function findOldTeams(home: string): number {
  try {
    const marks = new Bun.Glob("*/*/{project,session}.json").scanSync({ cwd: home, onlyFiles: true })
    return new Set(Array.from(marks, (path) => path.slice(0, path.lastIndexOf("/")))).size
  } catch {
    return 0 // no home yet
  }
}
