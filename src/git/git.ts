import { lstatSync } from "node:fs"
import { AppError } from "../kernel/errors.ts"
import { systemIds } from "../lib/make-ids.ts"
import type { Capture } from "../lib/process/capture.ts"
import { startTalk } from "../lib/process/talk.ts"
import { makeObjectReader, type ObjectReader } from "./object-reader.ts"
import { commonDirOf, readText } from "./read-refs.ts"
import { isWriteRefused, readOnly } from "./write-into.ts"

/** The git program in one folder. Arguments are handed over as they are, never through a shell. */
export interface Git {
  /** Where it works. */
  readonly folder: string
  /** However it ends. */
  run(args: readonly string[], options?: GitOptions): Promise<GitResult>
  /** What it prints, without the last line break; throws `git.failed` when it fails. */
  read(args: readonly string[], options?: GitOptions): Promise<string>
  /** The entries of what it prints with `-z`. */
  list(args: readonly string[], options?: GitOptions): Promise<string[]>
  /** Hands what one call prints to the next, byte by byte; throws `git.failed` when one of them fails. */
  pipe(from: readonly string[], to: readonly string[], options: PipeOptions): Promise<void>
  /** The same git in another folder. */
  in(folder: string): Git
  /** Where git's own files of the folder are. Throws `git.failed` where there is no repository. */
  places(): Promise<GitPlaces>
  /** What can be asked without starting git; of these files of git's, or of those of the folder. */
  objects(gitDir?: string): Promise<ObjectReader>
}

export interface GitPlaces {
  /** Of this checkout: of a linked worktree its own. */
  readonly gitDir: string
  /** Of the repository. */
  readonly commonDir: string
}

export interface GitOptions {
  readonly input?: string | Uint8Array
  /** On top of the environment that every call gets, as for an index of one's own. */
  readonly env?: Readonly<Record<string, string>>
  /** By default long enough for anything git does by itself. */
  readonly timeoutMs?: number
  /** Called with the file each time that another program holds a lock which this call needs. */
  readonly onLocked?: (file: string) => void
}

export interface PipeOptions {
  /** For the first call. */
  readonly input: string
  /** On top of the environment that every call gets. */
  readonly env?: Readonly<Record<string, string>>
  /** Only for the first call. */
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
/** Another git process holds its lock for moments; one that holds it for longer has hung or died. */
const LOCK_PATIENCE_MS = 5000
const LOCK_PAUSE_MS = 50
/** For a ref git waits by itself before it gives up. */
const REF_PAUSE_MS = 100

/**
 * What teamwork itself does with git runs no hooks, signs nothing and asks nobody: a hook may refuse or change what is to
 * be kept, and there is nobody to type a passphrase. Hooks and signing stay as they are for people and agents.
 */
const SETTINGS = [
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
].flatMap((setting) => ["-c", setting])

/** Settings that ask for git-lfs where it is not installed would fail every checkout: its pointers stay what they are. */
const WITHOUT_LFS = ["process=", "clean=cat", "smudge=cat", "required=false"].flatMap((setting) => [
  "-c",
  `filter.lfs.${setting}`,
])

/** What all that come from one git have in common. */
interface Family {
  readonly settings: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly places: Map<string, GitPlaces & { readonly stamp: string }>
  /** By the folder of git's files. */
  readonly objects: Map<string, ObjectReader>
}

function makeFamily(ports: GitPorts): Family {
  return { settings: settingsFor(ports), env: gitEnvironment(ports.env), places: new Map(), objects: new Map() }
}

export function makeGit(folder: string, ports: GitPorts, family = makeFamily(ports)): Git {
  const { capture, sleep } = ports
  const { settings, env: base } = family
  const once = async (args: readonly string[], options: GitOptions = {}): Promise<GitResult> => {
    const command = ["git", ...settings, ...args]
    const ended = await capture({
      ...{ command, cwd: folder, env: { ...base, ...options.env }, timeoutMs: options.timeoutMs ?? TIMEOUT_MS },
      ...(options.input === undefined ? {} : { input: options.input }),
    })
    if (ended.reason === "not-found") {
      throw new AppError(
        "git.failed",
        `git cannot be started in ${folder}; is it installed, and does the folder exist?`,
      )
    }
    if (ended.reason === "timed-out" || ended.exitCode === null) {
      throw new AppError("git.failed", `git ${args[0]} in ${folder} did not end by itself and was stopped`)
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
        ...{ cwd: folder, env: { ...base, ...env, ...own }, stdin, stdout: "pipe", stderr: "pipe" },
        ...{ timeout: TIMEOUT_MS, killSignal: "SIGKILL" },
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
    objects: async (gitDir) => answersAt(family, gitDir ?? (await places()).gitDir),
  }
}

/** What would be another if the folder came to belong to another repository. */
function stampOf(folder: string, gitDir: string): string {
  const { ino, birthtimeMs } = lstatSync(gitDir, { throwIfNoEntry: false }) ?? {}
  return `${ino} ${birthtimeMs} ${readText(`${folder}/.git`)}`
}

/**
 * They work in no folder of the repository: whoever looks there for a git that holds a lock must not find them, and they
 * must not keep a folder from being removed.
 */
function answersAt(family: Family, gitDir: string): ObjectReader {
  const { settings, env, objects } = family
  const start = (args: readonly string[]) =>
    startTalk({
      command: ["git", ...settings, ...args],
      ...{ cwd: "/", env: { ...env, GIT_DIR: gitDir }, timeoutMs: TIMEOUT_MS },
    })
  const known = objects.get(gitDir) ?? makeObjectReader(start, systemIds.uuid)
  objects.set(gitDir, known)
  return known
}

function settingsFor({ env }: GitPorts): readonly string[] {
  return Bun.which("git-lfs", { PATH: env.PATH ?? "" }) === null ? [...SETTINGS, ...WITHOUT_LFS] : SETTINGS
}

/** The same git with variables set at every call, as those that say where everything is. */
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

/** Without the variables by which a hook or an outer git would point us to another repository. */
function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const own = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || KEPT.test(name))
  return { ...Object.fromEntries(own), LC_ALL: "C", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: ":", GIT_ASKPASS: "true" }
}

const KEPT =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_|SSL_|SSH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)$|EXEC_PATH$)/

function isLocked({ exitCode, stderr }: GitResult): boolean {
  return exitCode !== 0 && /Unable to create '.+\.lock': File exists|could not lock config file/.test(stderr)
}

/** Git looks at every worktree, and one that another git is about to make has not all its files for a moment. */
function isHalfMade({ exitCode, stderr }: GitResult): boolean {
  return (
    exitCode !== 0 && /failed to read \S*\/worktrees\/[^/\s]+\/\w+: Success|worktrees\/[^/\s]+\/commondir/.test(stderr)
  )
}

export function lockedFor(file: string, folder: string): AppError {
  return new AppError(
    "git.locked",
    `another program holds ${file}, so nothing was changed; wait for it to end and try again, or remove that file if no program works on the repository in ${folder}`,
    { folder, file },
  )
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
