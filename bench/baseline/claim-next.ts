// The file protocol as a program: `bun bench/baseline/claim-next.ts FOLDER OWNER` claims a task and prints it.
import { claimNextFile } from "./task-files.ts"

if (import.meta.main) {
  const [folder = "", owner = ""] = process.argv.slice(2)
  const task = await claimNextFile(folder, owner)
  console.log(JSON.stringify(task ?? null))
  process.exit(task === undefined ? 1 : 0)
}
