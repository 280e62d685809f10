// Real git repositories for tests: made in the sandbox, with settings of their own, and gone with it.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { type Git, makeGit } from "../../src/git/git.ts"
import { capture } from "../../src/lib/process/capture.ts"
import { sleep } from "../../src/lib/sleep.ts"
import { makeScratch, sandboxEnv, validateSafeDelete } from "./sandbox.ts"

export interface Repository extends Disposable {
  readonly path: string
  /** Our own git in this folder. */
  readonly git: Git
  /** Any git command as a person types it, hooks and all; what it printed. Throws when it fails. */
  run(...args: string[]): string
  /** Writes files; null deletes one. */
  write(files: Readonly<Record<string, string | null>>): void
  read(path: string): string
  /** Writes files, if any, and commits everything; the commit. */
  commit(subject: string, files?: Readonly<Record<string, string | null>>): string
  /** The same repository seen from another of its worktrees, or another repository. */
  at(path: string): Repository
}

export interface RepositoryOptions {
  /** The folder's name, which is the project's. */
  readonly name?: string
  /** Files of the first commit; null for a repository without one. */
  readonly files?: Readonly<Record<string, string>> | null
  readonly env?: Record<string, string>
}

/** On branch `main`, with one commit. `using repository = makeRepository()` */
export function makeRepository({ name = "shop", files = { "a.txt": "a\n" }, env }: RepositoryOptions = {}): Repository {
  const scratch = makeScratch("repository")
  const path = join(scratch.path, name)
  mkdirSync(path)
  const repository = repositoryAt(path, env, () => scratch[Symbol.dispose]())
  repository.run("init", "--quiet", "--initial-branch=main")
  repository.run("config", "user.name", "Test")
  repository.run("config", "user.email", "test@example.com")
  if (files !== null) repository.commit("Start", files)
  return repository
}

function repositoryAt(path: string, env: Record<string, string> = {}, dispose: () => void = () => {}): Repository {
  const run = (...args: string[]) => {
    const { success, stdout, stderr } = Bun.spawnSync(["git", ...args], { cwd: path, env: sandboxEnv(env) })
    if (!success) throw new Error(`git ${args.join(" ")} in ${path}: ${stderr}`)
    return stdout.toString().trimEnd()
  }
  const write: Repository["write"] = (files) => {
    for (const [name, content] of Object.entries(files)) {
      const file = join(path, name)
      if (content === null) rmSync(validateSafeDelete(file), { recursive: true, force: true })
      else {
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, content)
      }
    }
  }
  return {
    path,
    git: makeGit(path, { capture, env: sandboxEnv(env), sleep }),
    run,
    write,
    read: (name) => readFileSync(join(path, name), "utf8"),
    commit(subject, files = {}) {
      write(files)
      run("add", "--all")
      run("commit", "--quiet", "--allow-empty", "-m", subject)
      return run("rev-parse", "HEAD")
    },
    at: (other) => repositoryAt(other, env),
    [Symbol.dispose]: dispose,
  }
}

/** Every file, folder and link below a folder with its kind, mode and content, to show that two are alike or nothing changed. */
export function snapshotFolder(
  folder: string,
  isSkipped: (path: string) => boolean = () => false,
): Record<string, string> {
  const seen: Record<string, string> = {}
  const visit = (path: string) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const at = path === "" ? entry.name : `${path}/${entry.name}`
      if (isSkipped(at)) continue
      const full = join(folder, at)
      const mode = (lstatSync(full).mode & 0o7777).toString(8)
      if (entry.isDirectory()) {
        seen[`${at}/`] = mode
        visit(at)
      } else if (entry.isSymbolicLink()) seen[at] = `-> ${readlinkSync(full)}`
      else if (entry.isFile()) seen[at] = `${mode} ${readFileSync(full, "latin1")}`
      else seen[at] = `${mode} special`
    }
  }
  visit("")
  return seen
}

/** Commits that no ref reaches, reflogs aside, as git says. */
export function unreachableCommits(repository: Repository): string[] {
  return repository
    .run("fsck", "--unreachable", "--no-reflogs", "--no-progress", "--connectivity-only")
    .split("\n")
    .filter((line) => line.startsWith("unreachable commit "))
    .map((line) => line.slice("unreachable commit ".length))
}

/** Makes a file executable or not. */
export function setMode(repository: Repository, file: string, mode: number): void {
  chmodSync(join(repository.path, file), mode)
}
