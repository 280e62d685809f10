import { lstatSync } from "node:fs"
import { AppError } from "../kernel/errors.ts"
import { systemIds } from "../lib/make-ids.ts"
import type { Capture } from "../lib/process/capture.ts"
import { startTalk } from "../lib/process/talk.ts"
import { readText } from "../lib/read-files.ts"
import { makeObjectReader, type ObjectReader } from "./object-reader.ts"
import { commonDirOf } from "./read-refs.ts"
import { isWriteRefused, readOnly } from "./write-into.ts"

/** Arguments never pass through a shell. */
export interface Git {
  readonly folder: string
  /** Returns failures too. Throws `git.locked` if another program keeps a lock. */
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>
  /** Without the last line break. Throws `git.failed`. */
  read(args: readonly string[], options?: GitOptions): Promise<string>
  /** Splits output of `-z`. Throws `git.failed`. */
  list(args: readonly string[], options?: GitOptions): Promise<string[]>
  /** Pipes the output of the first command into the second. Throws `git.failed`. */
  pipe(from: readonly string[], to: readonly string[], options: PipeOptions): Promise<void>
  in(folder: string): Git
  /** Throws `git.failed` outside of a repository. */
  places(): Promise<GitPlaces>
  /** Reads objects without starting git for each. Default: the git folder of `folder`. */
  objects(gitDir?: string): Promise<ObjectReader>
}

export interface GitPlaces {
  /** Of this checkout; a linked worktree has its own. */
  readonly gitDir: string
  /** Shared by all worktrees. */
  readonly commonDir: string
}

export interface GitOptions {
  readonly input?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  /** Called with the lock file each time another program holds a lock that this call needs. */
  readonly onLocked?: (file: string) => void
}

export interface PipeOptions {
  readonly input: string
  readonly env?: Readonly<Record<string, string>>
  /** Only for the first command. */
  readonly fromEnv?: Readonly<Record<string, string>>
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

interface GitPorts {
  readonly capture: Capture
  readonly env: Readonly<Record<string, string | undefined>>
  readonly sleep: (ms: number) => Promise<unknown>
}

const TIMEOUT_MS = 10 * 60_000
/** Git holds locks only for moments: a longer one means that the process hangs or was killed. */
const LOCK_PATIENCE_MS = 5000
const LOCK_PAUSE_MS = 50
/** Git itself waits this long for the lock of a ref. */
const REF_PAUSE_MS = 100

/**
 * Our own git calls run no hooks, sign nothing and never prompt: a hook could refuse or change what we keep, and a
 * passphrase prompt would hang. This does not affect the hooks and signing of people and agents.
 */
const SETTINGS = asOptions([
  "core.hooksPath=/dev/null",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "core.fsmonitor=false",
  "core.quotePath=false",
  "gc.auto=0",
  "submodule.recurse=false",
  "maintenance.auto=false",
  "advice.detachedHead=false",
  "log.showSignature=false",
])

/** If git-lfs is configured but missing, every checkout would fail. This leaves its pointer files unchanged. */
const WITHOUT_LFS = asOptions([
  "filter.lfs.process=",
  "filter.lfs.clean=cat",
  "filter.lfs.smudge=cat",
  "filter.lfs.required=false",
])

function asOptions(settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ["-c", setting])
}

/** Shared by a git and all that `in` creates from it. */
interface Family {
  readonly settings: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly places: Map<string, GitPlaces & { readonly stamp: string }>
  readonly objects: Map<string, ObjectReader>
}

function makeFamily(ports: GitPorts): Family {
  const hasLfs = Bun.which("git-lfs", { PATH: ports.env.PATH ?? "" }) !== null
  const settings = hasLfs ? SETTINGS : [...SETTINGS, ...WITHOUT_LFS]
  return { settings, env: gitEnvironment(ports.env), places: new Map(), objects: new Map() }
}

export function makeGit(folder: string, ports: GitPorts, family = makeFamily(ports)): Git {
  const { capture, sleep } = ports
  const { settings, env: base } = family
  const once = async (args: readonly string[], options: GitOptions = {}): Promise<GitResult> => {
    const command = ["git", ...settings, ...args]
    const ended = await capture({
      command,
      cwd: folder,
      env: { ...base, ...options.env },
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      ...(options.input !== undefined && { input: options.input }),
    })
    if (ended.reason === "not-found") {
      throw new AppError(
        "git.failed",
        `cannot start git in ${folder}; check that git is installed and the folder exists`,
      )
    }
    if (ended.reason === "timed-out" || ended.exitCode === null) {
      throw new AppError("git.failed", `git ${args[0]} in ${folder} took too long and was stopped`)
    }
    const stdout = new TextDecoder().decode(ended.stdout)
    return { exitCode: ended.exitCode, stdout, stderr: ended.stderr.trim() }
  }
  const run = async (args: readonly string[], options?: GitOptions): Promise<GitResult> => {
    const begunAt = performance.now()
    for (let slept = 0; ; slept += LOCK_PAUSE_MS) {
      const result = await once(args, options)
      if (!isLocked(result) && !isHalfMade(result)) return result
      // Git waits for some locks itself.
      const waited = Math.max(slept, performance.now() - begunAt)
      if (isHalfMade(result) && waited >= LOCK_PATIENCE_MS) return result
      const file = /Unable to create '(.+?\.lock)'/.exec(result.stderr)?.[1]
      if (file !== undefined) options?.onLocked?.(file)
      if (waited >= LOCK_PATIENCE_MS) throw lockedFor(file ?? "a lock file", folder)
      if (result.stderr.includes("cannot lock ref")) slept += REF_PAUSE_MS
      await sleep(LOCK_PAUSE_MS)
    }
  }
  const read = async (args: readonly string[], options?: GitOptions): Promise<string> => {
    const { exitCode, stdout, stderr } = await run(args, options)
    if (exitCode !== 0) throw gitFailed(args, folder, stderr)
    return stdout.replace(/\r?\n$/, "")
  }
  const pipe = async (from: readonly string[], to: readonly string[], { input, env, fromEnv }: PipeOptions) => {
    const start = (args: readonly string[], stdin: Uint8Array | ReadableStream, own = {}) =>
      Bun.spawn(["git", ...settings, ...args], {
        cwd: folder,
        env: { ...base, ...env, ...own },
        stdin,
        stdout: "pipe",
        stderr: "pipe",
        timeout: TIMEOUT_MS,
        killSignal: "SIGKILL",
      })
    const first = start(from, new TextEncoder().encode(input), fromEnv)
    const second = start(to, first.stdout)
    const [firstErrors, secondErrors] = await Promise.all([
      first.stderr.text(),
      second.stderr.text(),
      second.stdout.text(),
    ])
    if ((await first.exited) !== 0) throw gitFailed(from, folder, firstErrors)
    if ((await second.exited) !== 0) throw gitFailed(to, folder, secondErrors)
  }
  const places = async (): Promise<GitPlaces> => {
    const known = family.places.get(folder)
    if (known !== undefined && known.stamp === stampOf(folder, known.gitDir)) return known
    const args = ["rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir"]
    const [gitDir = "", commonDir = ""] = (await read(args)).split("\n")
    const found = { gitDir, commonDir, stamp: stampOf(folder, gitDir) }
    family.places.set(folder, found)
    return found
  }
  return {
    folder,
    run,
    read,
    list: async (args, options) => (await read(args, options)).split("\0").filter((entry) => entry !== ""),
    pipe,
    in: (other) => makeGit(other, ports, family),
    places,
    objects: async (gitDir) => readerAt(family, gitDir ?? (await places()).gitDir),
  }
}

/** Changes if another repository takes over the folder. */
function stampOf(folder: string, gitDir: string): string {
  const { ino, birthtimeMs } = lstatSync(gitDir, { throwIfNoEntry: false }) ?? {}
  return `${ino} ${birthtimeMs} ${readText(`${folder}/.git`)}`
}

/**
 * Its processes run in `/`, so that they do not look like a git that holds a lock in the repository, nor block
 * removing a folder.
 */
function readerAt(family: Family, gitDir: string): ObjectReader {
  const { settings, env, objects } = family
  const start = (args: readonly string[]) =>
    startTalk({
      command: ["git", ...settings, ...args],
      cwd: "/",
      env: { ...env, GIT_DIR: gitDir },
      timeoutMs: TIMEOUT_MS,
    })
  const known = objects.get(gitDir) ?? makeObjectReader(start, systemIds.uuid)
  objects.set(gitDir, known)
  return known
}

export function withVariables(git: Git, env: Readonly<Record<string, string>>): Git {
  const merged = (options?: GitOptions): GitOptions => ({ ...options, env: { ...env, ...options?.env } })
  return {
    folder: git.folder,
    run: (args, options) => git.run(args, merged(options)),
    read: (args, options) => git.read(args, merged(options)),
    list: (args, options) => git.list(args, merged(options)),
    pipe: (from, to, options) => git.pipe(from, to, { ...options, env: { ...env, ...options.env } }),
    in: (folder) => withVariables(git.in(folder), env),
    places: async () =>
      env.GIT_DIR === undefined ? git.places() : { gitDir: env.GIT_DIR, commonDir: commonDirOf(env.GIT_DIR) },
    objects: (gitDir) => git.objects(gitDir ?? env.GIT_DIR),
  }
}

/** Drops variables with which a hook or an outer git would point us to another repository. */
function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const own = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || KEPT.test(name))
  return { ...Object.fromEntries(own), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: ":", GIT_ASKPASS: "true" }
}

const KEPT =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_|SSL_|SSH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)$|EXEC_PATH$)/

function isLocked({ exitCode, stderr }: GitResult): boolean {
  return exitCode !== 0 && /Unable to create '.+\.lock': File exists|could not lock config file/.test(stderr)
}

/** Git reads all worktrees; one that another git is creating lacks files for a moment. */
function isHalfMade({ exitCode, stderr }: GitResult): boolean {
  return (
    exitCode !== 0 && /failed to read \S*\/worktrees\/[^/\s]+\/\w+: Success|worktrees\/[^/\s]+\/commondir/.test(stderr)
  )
}

export function lockedFor(file: string, folder: string): AppError {
  return new AppError(
    "git.locked",
    `another program holds ${file}, so nothing was changed; wait for it and try again, or remove that file if no program works on the repository in ${folder}`,
    { folder, file },
  )
}

export function isGitFailure(error: unknown): error is AppError {
  return error instanceof AppError && error.code === "git.failed"
}

function gitFailed(args: readonly string[], folder: string, stderr: string): AppError {
  if (isWriteRefused(stderr)) return readOnly(folder, stderr)
  const why = stderr.split("\n").find((line) => /^(?:fatal|error):/.test(line)) ?? stderr.split("\n")[0] ?? ""
  const command = args.find((arg, index) => arg !== "-c" && args[index - 1] !== "-c")
  return new AppError("git.failed", `git ${command} failed in ${folder}: ${why.replace(/^(?:fatal|error): /, "")}`, {
    folder,
    args,
  })
}
