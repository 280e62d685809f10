// A real repository in which branches are made quickly, without a checkout for each.
import { join } from "node:path"
import { type Git, makeGit } from "../../src/git/git.ts"
import { makeMerges } from "../../src/git/merges/git-merges.ts"
import { makeTargets } from "../../src/git/merges/git-targets.ts"
import type { Merges, Targets } from "../../src/git/port.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { makeScratch, sandboxEnv } from "./sandbox.ts"

/** Contents by path; null deletes one. A link or a mode is named with its content. */
export type Files = Readonly<Record<string, string | null | { readonly mode: string; readonly content: string }>>

export interface MergeRepository extends Disposable {
  readonly folder: string
  readonly git: Git
  readonly merges: Merges
  readonly targets: Targets
  /** A commit with these files changed on top of its first parent. */
  commit(parents: readonly string[], files: Files, message?: string): Promise<string>
  set(ref: string, commit: string): Promise<void>
  /** What a file holds in a commit; undefined when it is not there. */
  read(commit: string, path: string): Promise<string | undefined>
}

export async function makeMergeRepository(name = "merging"): Promise<MergeRepository> {
  const scratch = makeScratch(name)
  const folder = join(scratch.path, "shop")
  const env = sandboxEnv()
  const ports = { capture, env, sleep }
  await makeGit(scratch.path, ports).read(["init", "--quiet", "--initial-branch=main", "--", folder])
  const git = makeGit(folder, ports)
  await git.read(["config", "user.name", "Test"])
  await git.read(["config", "user.email", "test@example.com"])
  const log = { ids: systemIds, env, sleep }
  let count = 0
  return {
    folder,
    git,
    merges: makeMerges(git, log),
    targets: makeTargets(git, log),
    async commit(parents, files, message = `commit ${++count}`) {
      const index = { GIT_INDEX_FILE: join(folder, `.git/index-${++count}`) }
      const [first] = parents
      if (first !== undefined) await git.read(["read-tree", first], { env: index })
      let lines = ""
      for (const [path, file] of Object.entries(files)) {
        if (file === null) {
          lines += `0 ${"0".repeat(40)}\t${path}\0`
          continue
        }
        const { mode, content } = typeof file === "string" ? { mode: "100644", content: file } : file
        const id = mode === "160000" ? content : await git.read(["hash-object", "-w", "--stdin"], { input: content })
        lines += `${mode} ${id}\t${path}\0`
      }
      await git.read(["update-index", "-z", "--index-info"], { input: lines, env: index })
      const tree = await git.read(["write-tree"], { env: index })
      return git.read(["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"], {
        input: message,
      })
    },
    set: async (ref, commit) => void (await git.read(["update-ref", ref, commit])),
    async read(commit, path) {
      const { exitCode, stdout } = await git.run(["cat-file", "blob", `${commit}:${path}`])
      return exitCode === 0 ? stdout : undefined
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  }
}
