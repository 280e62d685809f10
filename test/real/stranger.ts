// The machine of a person who has never used teamwork: a home, a temp folder and a clone of their own, no settings.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { basename, delimiter, join, resolve } from "node:path"
import { type Git, gitIn } from "./run-program.ts"

const ROOT = resolve(import.meta.dir, "../..")

/** What a process of the stranger may know of this machine. Certificates are for package registries. */
const HANDED_DOWN = ["LANG", "TERM", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "JAVA_HOME", "PIP_CERT"]
/** Where version managers keep the programs behind the names in PATH. Without them every such program looks broken. */
const TOOL_HOMES = { RUSTUP_HOME: ".rustup", CARGO_HOME: ".cargo", PYENV_ROOT: ".pyenv" }

export interface Stranger extends AsyncDisposable {
  readonly root: string
  /** The fresh clone, without a remote. */
  readonly clone: string
  readonly env: Record<string, string>
  readonly git: Git
}

/** Clones the repository at `source` into a temp folder. Everything is removed on disposal unless `isKept`. */
export async function makeStranger(source: string, name: string, isKept: boolean): Promise<Stranger> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "teamwork-replay-")))
  const env = strangerEnv(root)
  const clone = join(root, "src", name)
  mkdirSync(join(root, "src"))
  await gitIn(root, env)("clone", "--quiet", "--no-checkout", source, clone)
  const git = gitIn(clone, env)
  await git("remote", "remove", "origin")
  await git("config", "user.name", "Stranger")
  await git("config", "user.email", "stranger@example.invalid")
  const dispose = async () => {
    if (!isKept) rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
  return { root, clone, env, git, [Symbol.asyncDispose]: dispose }
}

/** The name a person would clone it under: the folder, or its parent where a mirror calls every repository `repo`. */
export function nameOf(source: string): string {
  const path = realpathSync(source)
  const folder = basename(path) === ".git" || basename(path) === "repo" ? basename(join(path, "..")) : basename(path)
  return folder.replace(/\.git$/, "").replace(/^.*\+/, "") || "repository"
}

function strangerEnv(root: string): Record<string, string> {
  const env: Record<string, string> = { PATH: strangerPath(join(root, "tools")) }
  for (const name of HANDED_DOWN) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  for (const [name, folder] of Object.entries(TOOL_HOMES)) {
    const home = process.env[name] ?? join(homedir(), folder)
    if (existsSync(home)) env[name] = home
  }
  for (const [name, folder] of Object.entries({ HOME: "home", TEAMWORK_HOME: "teamwork", TMPDIR: "tmp" })) {
    env[name] = join(root, folder)
    mkdirSync(join(root, folder))
  }
  return { ...env, GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" }
}

/** Without the programs of this project, which `npm` and `bun` put in front, and with a folder for tools of our own. */
function strangerPath(tools: string): string {
  const known = (process.env.PATH ?? "").split(delimiter)
  const isTheirs = (folder: string) => folder !== "" && !folder.startsWith(ROOT) && !folder.includes("node_modules")
  return [join(tools, "bin"), ...new Set(known.filter(isTheirs))].join(delimiter)
}
