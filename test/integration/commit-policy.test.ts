// What the user asks of every commit, on commits that teamwork makes: real ssh keys, real hooks.
import { describe, expect, it } from "bun:test"
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { PolicySettings } from "../../src/git/merges/commit-policy.ts"
import { makeMerges } from "../../src/git/merges/git-merges.ts"
import { systemIds } from "../../src/lib/make-ids.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { setUpDelivery } from "../support/delivery-setup.ts"
import { makeRepository } from "../support/repository.ts"
import { sandboxEnv } from "../support/sandbox.ts"

const MESSAGE = "Merge task 1: One\n\nTeamwork-Task: 1\nTeamwork-Attempt: 1\n"

describe("signing", () => {
  it("signs merge commits where the user signs and nobody has to be asked", async () => {
    using scene = makeScene()
    scene.useKey("")
    const commit = await scene.commit()
    scene.repository.run("verify-commit", commit)
    expect(await scene.notes()).toEqual([expect.stringContaining("merge commits are signed")])
  })

  it("signs a merge that is made again", async () => {
    using scene = makeScene()
    scene.useKey("")
    const commit = await scene.commit()
    const again = await scene.merges.replay({ commit, onto: scene.head, and: [scene.head] })
    if ("conflicts" in again) throw new Error("it fits")
    scene.repository.run("verify-commit", again.commit)
  })

  it("with a passphrase says once that it cannot, how to sign afterwards, and goes on without", async () => {
    using scene = makeScene()
    scene.useKey("secret words")
    const commit = await scene.commit()
    expect(scene.repository.run("cat-file", "commit", commit)).not.toContain("gpgsig")
    await scene.commit("Merge task 2: Two\n")
    const notes = await scene.notes()
    expect(notes).toEqual([expect.stringContaining("commit.gpgSign is set, but signing does not work")])
    expect(notes[0]).toContain("git rebase --rebase-merges --exec 'git commit --amend --no-edit -S'")
  })

  it("is left alone where the user does not sign, or where it is turned off", async () => {
    using scene = makeScene({ signs: false, runsHooks: true })
    scene.useKey("")
    expect(scene.repository.run("cat-file", "commit", await scene.commit())).not.toContain("gpgsig")
    expect(await scene.notes()).toEqual([])
    using other = makeScene()
    other.useKey("")
    other.repository.run("config", "commit.gpgSign", "false")
    expect(other.repository.run("cat-file", "commit", await other.commit())).not.toContain("gpgsig")
    expect(await other.notes()).toEqual([])
  })
})

describe("the commit-msg hook of the user", () => {
  it.each([undefined, ".husky/_", "/absolute"])("changes the message, also with core.hooksPath %s", async (path) => {
    using scene = makeScene()
    scene.hook('printf "\\nTicket: 7\\n" >> "$1"', path)
    const commit = await scene.commit()
    expect(scene.message(commit)).toBe("Merge task 1: One\n\nTicket: 7\nTeamwork-Task: 1\nTeamwork-Attempt: 1")
    // It is still known for what it is.
    const merge = await scene.merges.replay({ commit, onto: scene.head, and: [commit] })
    if ("conflicts" in merge) throw new Error("it fits")
    expect([...(await scene.merges.mergedAttempts(scene.head, merge.commit)).keys()]).toEqual(["1/1"])
    expect(await scene.notes()).toEqual([])
  })

  it("cannot take away the lines that tell which work it is", async () => {
    using scene = makeScene()
    scene.hook('echo "feat: replaced" > "$1"')
    const message = scene.message(await scene.commit())
    expect(message).toBe("feat: replaced\n\nTeamwork-Task: 1\nTeamwork-Attempt: 1")
  })

  it("that refuses is told once in one line with the way out, and work goes on", async () => {
    using scene = makeScene()
    scene.hook('echo "subject needs a type" >&2; exit 1')
    expect(scene.message(await scene.commit())).toBe(MESSAGE.trimEnd())
    const notes = await scene.notes()
    expect(notes).toEqual([expect.stringContaining("subject needs a type")])
    expect(notes[0]).toContain("teamwork config set delivery.commitHooks false")
  })

  it("that hangs is stopped, and not run again", async () => {
    using scene = makeScene({ signs: true, runsHooks: true, hookMs: 300 })
    const calls = join(scene.repository.path, "../calls")
    scene.hook(`echo called >> '${calls}'; sleep 600`)
    expect(scene.message(await scene.commit())).toBe(MESSAGE.trimEnd())
    expect(await scene.notes()).toEqual([expect.stringContaining("did not end")])
    // It would hold up every further merge for as long.
    await scene.commit("Merge task 2: Another\n")
    expect(readFileSync(calls, "utf8")).toBe("called\n")
  })

  it("does not run where it is turned off, or is no program", async () => {
    using scene = makeScene({ signs: true, runsHooks: false })
    scene.hook("exit 1")
    await scene.commit()
    expect(await scene.notes()).toEqual([])
    using other = makeScene()
    other.hook("exit 1")
    chmodSync(join(other.repository.path, ".git/hooks/commit-msg"), 0o644)
    await other.commit()
    expect(await other.notes()).toEqual([])
  })
})

it("a delivery tells of it, for the report", async () => {
  await using scene = await setUpDelivery({ "a.txt": "a\n" })
  const hook = join(scene.folder, ".git/hooks/commit-msg")
  mkdirSync(join(scene.folder, ".git/hooks"), { recursive: true })
  writeFileSync(hook, "#!/bin/sh\nexit 1\n")
  chmodSync(hook, 0o755)
  await scene.integrate({ "a.txt": "A\n" })
  const { notes } = await scene.deliver()
  expect(notes).toEqual([expect.stringContaining("commit-msg hook refuses")])
  expect(await scene.events()).toMatchObject([["target.delivered", { notes }]])
})

function makeScene(settings?: PolicySettings) {
  const repository = makeRepository()
  const { git, path } = repository
  const merges = makeMerges(git, { ids: systemIds, env: sandboxEnv(), sleep }, settings)
  const head = repository.run("rev-parse", "HEAD")
  return {
    ...{ repository, merges, head },
    commit: async (message = MESSAGE) => merges.commit({ tree: await merges.tree(head), parents: [head], message }),
    notes: () => merges.notes(),
    message: (commit: string) => repository.run("log", "-1", "--format=%B", commit).trimEnd(),
    useKey(passphrase: string) {
      const key = `${path}-key`
      const made = Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "t", "-f", key])
      if (!made.success) throw new Error(made.stderr.toString())
      writeFileSync(`${path}-allowed`, `test@example.com ${readFileSync(`${key}.pub`, "utf8")}`)
      repository.run("config", "gpg.format", "ssh")
      repository.run("config", "user.signingKey", key)
      repository.run("config", "commit.gpgSign", "true")
      repository.run("config", "gpg.ssh.allowedSignersFile", `${path}-allowed`)
    },
    hook(script: string, place?: string) {
      const folder = place === undefined ? ".git/hooks" : place.replace(/^\//, "")
      const file = join(path, folder, "commit-msg")
      mkdirSync(join(path, folder), { recursive: true })
      writeFileSync(file, `#!/bin/sh\n${script}\n`)
      chmodSync(file, 0o755)
      if (place === undefined) return
      repository.run("config", "core.hooksPath", place.startsWith("/") ? join(path, folder) : place)
    },
    [Symbol.dispose]: () => repository[Symbol.dispose](),
  }
}
