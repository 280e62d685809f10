import { describe, expect, it } from "bun:test"
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import { makeScratch, safeDelete, sandboxEnv, testBase, validateSafeDelete } from "../support/sandbox.ts"

const base = testBase()
const realHomes = [userInfo().homedir, process.env.TEAMWORK_TEST_REAL_HOME ?? ""].filter(Boolean)

describe("the test process", () => {
  it("has its home, temp folder and settings inside the test base", () => {
    for (const name of ["HOME", "TMPDIR", "TEAMWORK_HOME", "XDG_CONFIG_HOME", "TMUX_TMPDIR", "GIT_CONFIG_GLOBAL"]) {
      expect(process.env[name]).toStartWith(`${base}/`)
    }
    expect(process.env.TEAMWORK_TEST_BASE_DIR).toBe(base)
    expect(tmpdir()).toStartWith(`${base}/`)
  })

  it("never has the real home as its home or base", () => {
    expect(realHomes.length).toBeGreaterThan(0)
    for (const real of realHomes) {
      expect(process.env.HOME).not.toBe(real)
      expect(base).not.toBe(real)
      expect(real.startsWith(`${base}/`)).toBe(false)
    }
  })

  it("knows no account, agent, repository or database of the person testing", () => {
    const foreign = /^(ANTHROPIC_|OPENAI_|GEMINI_|GOOGLE_|CLAUDE|CODEX|SSH_|PG|TMUX$|GIT_DIR|GIT_WORK_TREE)/
    expect(Object.keys(process.env).filter((name) => foreign.test(name))).toEqual([])
  })
})

describe("validateSafeDelete", () => {
  it.each([
    ["the root", "/"],
    ["the parent of the working folder", ".."],
    ["the working folder", "."],
    ["an empty path", ""],
    ["the test base itself", base],
    ["the test base itself with a slash", `${base}/`],
    ["the test base by a detour", join(base, "tmp", "..")],
    ["the folder the test base is in", dirname(base)],
    ["a folder whose name only starts like the base", `${base}-other/x`],
    ["a way out of the base", `${base}/../x`],
    ...realHomes.map((real): [string, string] => ["a real home", real]),
    ...realHomes.map((real): [string, string] => ["something in a real home", join(real, ".claude")]),
  ])("refuses %s", (_, path) => {
    expect(() => validateSafeDelete(path)).toThrow("refused to delete")
    expect(() => safeDelete(path)).toThrow("refused to delete")
  })

  it("refuses a link inside the base that points outside, and anything behind it", () => {
    using scratch = makeScratch()
    const link = join(scratch.path, "link")
    symlinkSync("/", link)
    expect(() => validateSafeDelete(link)).toThrow("refused to delete")
    expect(() => validateSafeDelete(join(link, "etc"))).toThrow("refused to delete")
    const dangling = join(scratch.path, "dangling")
    symlinkSync("/no/such/place", dangling)
    expect(() => validateSafeDelete(dangling)).toThrow("refused to delete")
    const indirect = join(scratch.path, "indirect")
    symlinkSync("link", indirect)
    expect(() => validateSafeDelete(indirect)).toThrow("refused to delete")
  })

  it("gives up on links that go round in a circle", () => {
    using scratch = makeScratch()
    symlinkSync("b", join(scratch.path, "a"))
    symlinkSync("a", join(scratch.path, "b"))
    expect(() => validateSafeDelete(join(scratch.path, "a"))).toThrow("too many links")
  })

  it("allows what is inside the base, there or not", () => {
    using scratch = makeScratch()
    expect(validateSafeDelete(scratch.path)).toBe(scratch.path)
    expect(validateSafeDelete(join(scratch.path, "not", "there"))).toBe(join(scratch.path, "not", "there"))
  })

  it("is not moved by changing the variable", () => {
    const before = process.env.TEAMWORK_TEST_BASE_DIR
    process.env.TEAMWORK_TEST_BASE_DIR = "/"
    try {
      expect(() => validateSafeDelete("/etc")).toThrow("refused to delete")
    } finally {
      process.env.TEAMWORK_TEST_BASE_DIR = before
    }
  })
})

describe("makeScratch", () => {
  it("makes a fresh folder in the base and removes it with all it holds, but not what links lead to", async () => {
    using kept = makeScratch("kept")
    writeFileSync(join(kept.path, "file"), "still here")
    let path: string
    {
      await using scratch = makeScratch("one")
      path = scratch.path
      expect(path).toStartWith(`${base}/`)
      mkdirSync(join(path, "deep", "er"), { recursive: true })
      symlinkSync(kept.path, join(path, "deep", "link"))
    }
    expect(existsSync(path)).toBe(false)
    expect(existsSync(join(kept.path, "file"))).toBe(true)
  })
})

describe("a child process", () => {
  const script = "console.log(JSON.stringify({ env: process.env, home: require('node:os').homedir() }))"

  it("started with sandboxEnv sees no foreign variables and a home in the base", async () => {
    process.env.FOREIGN_SECRET = "must not leak"
    try {
      const child = Bun.spawn([process.execPath, "-e", script], { env: sandboxEnv({ EXTRA: "1" }), cwd: base })
      const seen: { env: Record<string, string>; home: string } = JSON.parse(await child.stdout.text())
      const allowed =
        /^(PATH|LANG|TERM|HOME|TMPDIR|XDG_\w+|TMUX_TMPDIR|TEAMWORK_TEST_BASE_DIR|TEAMWORK_TRUST|GIT_\w+|EXTRA)$/
      expect(Object.keys(seen.env).filter((name) => !allowed.test(name))).toEqual([])
      expect(seen.env.EXTRA).toBe("1")
      expect(seen.home).toStartWith(`${base}/`)
      expect(realHomes).not.toContain(seen.home)
    } finally {
      delete process.env.FOREIGN_SECRET
    }
  })

  it("started without any env still gets the sandboxed one, not the one we were started with", async () => {
    const child = Bun.spawn([process.execPath, "-e", script], { cwd: base })
    expect(JSON.parse(await child.stdout.text()).home).toStartWith(`${base}/`)
    const sync = Bun.spawnSync({ cmd: ["sh", "-c", "echo $HOME"] })
    expect(sync.stdout.toString()).toStartWith(`${base}/`)
  })

  it("commits with git as nobody in particular", () => {
    using repo = makeScratch("repo")
    const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: repo.path, env: sandboxEnv() })
    git("init")
    expect(git("commit", "--allow-empty", "-m", "first").exitCode).toBe(0)
    expect(git("log", "-1", "--format=%ae").stdout.toString().trim()).toBe("test@example.invalid")
  })
})

describe("the test base", () => {
  it("is gone even when the test process is killed", async () => {
    using samples = makeScratch("samples")
    writeFileSync(
      join(samples.path, "hangs.test.ts"),
      `import { test } from "bun:test"
       test("hangs", async () => { console.log(process.env.TEAMWORK_TEST_BASE_DIR); await new Promise(() => {}) })`,
    )
    const preload = join(import.meta.dir, "../support/preload.ts")
    const child = Bun.spawn([process.execPath, "test", "--preload", preload, "./hangs.test.ts"], {
      cwd: samples.path,
      env: sandboxEnv(),
      stderr: "ignore",
    })
    const nested = await firstPath(child.stdout)
    expect(nested).toStartWith(`${base}/`)
    expect(existsSync(nested)).toBe(true)
    child.kill("SIGKILL")
    await child.exited
    await gone(nested)
  })
})

async function firstPath(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ""
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk)
    const path = /^\/.*$/m.exec(text)?.[0]
    if (path && text.includes(`${path}\n`)) return path
  }
  throw new Error(`no path in: ${text}`)
}

async function gone(path: string): Promise<void> {
  const deadline = Date.now() + 10_000
  while (existsSync(path)) {
    if (Date.now() > deadline) throw new Error(`${path} is still there`)
    await Bun.sleep(10)
  }
}
