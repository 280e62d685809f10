// In whose name agents commit, with the real git and homes that know more or less.
import { expect, it } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gitIdentity } from "../../src/agents/jobs/git-identity.ts"
import { systemProcesses } from "../../src/lib/process/process.ts"
import { makeScratch, sandboxEnv } from "../support/sandbox.ts"

const NOBODY = { name: "", email: "" }
const DEFAULT = "teamwork codex <noreply@teamwork.invalid>"

/** A repository, and a home without settings of git. */
function makeRepository() {
  const scratch = makeScratch()
  const [HOME, workspace] = [join(scratch.path, "home"), join(scratch.path, "repository")]
  for (const folder of [HOME, workspace]) mkdirSync(folder)
  const env = sandboxEnv({ HOME, XDG_CONFIG_HOME: undefined, GIT_CONFIG_GLOBAL: undefined })
  const git = (extra: Record<string, string>, ...args: string[]) => {
    const { success, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: workspace, env: { ...env, ...extra } })
    return success ? stdout.toString().trim() : `failed: ${stderr}`
  }
  git({}, "init", "--quiet")
  /** Author and committer of a commit by somebody who has these variables, and no settings of git at all. */
  const commit = async (change: Partial<Parameters<typeof gitIdentity>[1]> = {}) => {
    const asked = { workspace, env, configured: NOBODY, worker: "codex", ...change }
    const identity = await gitIdentity(systemProcesses, asked)
    const hidden = { ...identity, GIT_CONFIG_GLOBAL: "/dev/null" }
    expect(git(hidden, "commit", "--quiet", "--allow-empty", "--message=x")).toBe("")
    return git({}, "log", "-1", "--format=%an <%ae> / %cn <%ce>").split(" / ")
  }
  return { workspace, HOME, env, git, commit, [Symbol.dispose]: () => scratch[Symbol.dispose]() }
}

it("nobody that git knows: in the agent's own", async () => {
  using repository = makeRepository()
  // Without variables such a commit fails, or takes a name from the machine.
  expect(repository.git({}, "-c", "user.useConfigOnly=true", "commit", "--allow-empty", "-m", "x")).toStartWith(
    "failed",
  )
  expect(await repository.commit()).toEqual([DEFAULT, DEFAULT])
  expect((await repository.commit({ worker: "w1" }))[0]).toBe("teamwork w1 <noreply@teamwork.invalid>")
})

it("that of the person, or nearer that of the repository, each part by itself", async () => {
  using repository = makeRepository()
  writeFileSync(join(repository.HOME, ".gitconfig"), "[user]\n\tname = Ann O'Nym\n\temail = ann@example.com\n")
  expect(await repository.commit()).toEqual(["Ann O'Nym <ann@example.com>", "Ann O'Nym <ann@example.com>"])
  repository.git({}, "config", "user.name", "Bob")
  repository.git({}, "config", "committer.email", "ci@example.com")
  expect(await repository.commit()).toEqual(["Bob <ann@example.com>", "Bob <ci@example.com>"])
})

it("what our configuration says before that, and what is in the environment before all", async () => {
  using repository = makeRepository()
  repository.git({}, "config", "user.name", "Bob")
  repository.git({}, "config", "user.email", "bob@example.com")
  const configured = { name: "Team Bot", email: "" }
  expect(await repository.commit({ configured })).toEqual(["Team Bot <bob@example.com>", "Team Bot <bob@example.com>"])
  const env = { ...repository.env, GIT_AUTHOR_NAME: "Eve", GIT_COMMITTER_EMAIL: "" }
  expect(await repository.commit({ configured, env })).toEqual(["Eve <bob@example.com>", "Team Bot <bob@example.com>"])
})

it("the agent's own where there is no git or no repository", async () => {
  using repository = makeRepository()
  const asked = { workspace: repository.workspace, configured: NOBODY, worker: "codex" }
  const values = {
    ...{ GIT_AUTHOR_NAME: "teamwork codex", GIT_AUTHOR_EMAIL: "noreply@teamwork.invalid" },
    ...{ GIT_COMMITTER_NAME: "teamwork codex", GIT_COMMITTER_EMAIL: "noreply@teamwork.invalid" },
  }
  expect(await gitIdentity(systemProcesses, { ...asked, env: { PATH: "/nowhere" } })).toEqual(values)
  expect(await gitIdentity(systemProcesses, { ...asked, workspace: "/", env: repository.env })).toEqual(values)
})
