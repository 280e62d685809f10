// A team whose work is to be delivered, in a real repository with `main` checked out.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type DeliveryPorts, deliver } from "../../src/delivery/target/deliver.ts"
import { whyNotGreen } from "../../src/delivery/target/final-verdict.ts"
import { undo } from "../../src/delivery/target/undo.ts"
import { ensureIntegration } from "../../src/git/integration.ts"
import type { Verdict } from "../../src/quality/verdict.ts"
import { type Files, makeMergeRepository } from "./merge-repository.ts"
import { allEvents, context, FIRST_RUN, makeTeam, STORES, TEAM } from "./stores.ts"

export const INTEGRATION = "refs/heads/teamwork/house/main/integration"

export async function setUpDelivery(files: Files, { hasIntegration = true } = {}) {
  const repository = await makeMergeRepository("deliver")
  const database = await STORES.sqlite?.()
  if (database === undefined) throw new Error("no store")
  const store = await database.connect()
  const team = await makeTeam(store)
  const { git, merges, targets, commit, set, folder } = repository
  const base = await commit([], files)
  await set("refs/heads/main", base)
  await git.read(["reset", "--quiet", "--hard", "main"])
  if (hasIntegration) await ensureIntegration(merges, FIRST_RUN)
  const verdicts: Verdict[] = []
  let allowsAnything = false
  const judge = (status: "passed" | "failed", evidence: string) => {
    const issues = status === "failed" ? ["tests failed"] : []
    const checks = [{ name: "commit", status: "passed", evidence } as const]
    verdicts.push({ scope: "final", subject: null, status, checks, issues, by: "person", timestamp: "" })
  }
  return {
    ...{ base, folder, git, merges, targets, commit },
    file: (path: string) => readFileSync(join(folder, path), "utf8"),
    pass: (commit: string) => judge("passed", commit),
    fail: (commit: string) => judge("failed", commit),
    allowAnything() {
      allowsAnything = true
    },
    events: async () => (await allEvents(store, team.key)).map((event) => [event.type, event.data] as const),
    /** Puts a commit onto the integration branch, past the final gate unless said otherwise. */
    async integrate(changed: Files, { isGreen = true } = {}) {
      const made = await commit([await git.read(["rev-parse", INTEGRATION])], changed)
      await set(INTEGRATION, made)
      if (isGreen) judge("passed", made)
      return made
    },
    async userCommits(changed: Record<string, string>) {
      for (const [path, content] of Object.entries(changed)) writeFileSync(join(folder, path), content)
      await git.read(["commit", "--quiet", "--all", "-m", "by hand"])
      return git.read(["rev-parse", "HEAD"])
    },
    async commitIn(place: string) {
      const here = git.in(place)
      const tree = await here.read(["mktree"], { input: "" })
      return here.read(["commit-tree", tree, "-m", "other"], { env: IDENTITY })
    },
    deliver: (ports: Partial<DeliveryPorts> = {}) =>
      deliver(
        context(store),
        {
          merges,
          targets,
          whyNotGreen: async (commit) =>
            allowsAnything ? undefined : whyNotGreen(merges, verdicts, { commit, isPartial: false }),
          ...ports,
        },
        TEAM,
      ),
    undo: () => undo(context(store), { merges, targets }, TEAM),
    async [Symbol.asyncDispose]() {
      repository[Symbol.dispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const IDENTITY = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => [
    [`GIT_${who}_NAME`, "Other"],
    [`GIT_${who}_EMAIL`, "o@example.com"],
  ]),
)
