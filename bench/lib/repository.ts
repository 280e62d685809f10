import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Place, timeProcess } from "./program.ts"
import type { Sandbox } from "./sandbox.ts"

/** A repository with one commit, and a home of its own. */
export async function makeRepository(sandbox: Sandbox): Promise<Place> {
  const cwd = sandbox.folder("repository")
  const identity = ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "Bench"],
    [`GIT_${who}_EMAIL`, "bench@example.com"],
  ])
  const home = sandbox.folder("home")
  const place = { cwd, env: sandbox.env({ ...Object.fromEntries(identity), HOME: home, TEAMWORK_TEST_BASE_DIR: home }) }
  writeFileSync(join(cwd, "README.md"), "# Bench\n")
  await timeProcess(["git", "init", "--quiet", "--initial-branch=main"], place)
  await timeProcess(["git", "add", "-A"], place)
  await timeProcess(["git", "commit", "--quiet", "-m", "start"], place)
  return place
}
