import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import { dirname, resolvePath } from "../../lib/paths.ts"
import { type Env, variable } from "./environment.ts"
import type { ConfigKey } from "./keys.ts"

/** What a person agreed to for a repository: these settings of its own file, and each of these programs. */
export interface TrustRecord {
  readonly settings: string
  /** Hashes, one for each program. */
  readonly programs: readonly string[]
  /** What was shown, for people. */
  readonly shown: readonly string[]
  readonly at: string
}

export type TrustFile = Readonly<Record<string, TrustRecord>>

export function trustFileOf(home: string): string {
  return `${home}/trust.json`
}

/** A file that cannot be read grants nothing. */
export function readTrust(home: string): TrustFile {
  try {
    const json: unknown = JSON.parse(readFileSync(trustFileOf(home), "utf8"))
    const found: Record<string, TrustRecord> = {}
    for (const [name, record] of Object.entries(json ?? {})) if (isRecord(record)) found[name] = record
    return found
  } catch {
    return {}
  }
}

function isRecord(value: unknown): value is TrustRecord {
  if (typeof value !== "object" || value === null) return false
  const { settings, programs, shown, at } = value as Record<string, unknown>
  return typeof settings === "string" && Array.isArray(programs) && Array.isArray(shown) && typeof at === "string"
}

/** One for all checkouts of a repository: the folder that they share. Outside of a repository the folder itself. */
export function repositoryKey(folder: string): string {
  const root = realpathSync(folder)
  const dotGit = `${root}/.git`
  if (!existsSync(dotGit)) return root
  const gitDir = statSync(dotGit).isDirectory() ? dotGit : resolvePath(lineOf(dotGit).replace(/^gitdir:\s*/, ""), root)
  const common = existsSync(`${gitDir}/commondir`) ? lineOf(`${gitDir}/commondir`) : ""
  return common === "" ? gitDir : resolvePath(common, gitDir)
}

function lineOf(file: string): string {
  return readFileSync(file, "utf8").replace(/[\r\n]+$/, "")
}

/** For scripts and tests, which have nobody to ask. A repository cannot set it. */
export function trustsAll(env: Env): boolean {
  return variable(env, "TEAMWORK_TRUST") === "all"
}

/** The settings as they were written: paths mean another place in each checkout, and say the same. */
export function rawSettings(root: unknown, keys: readonly ConfigKey[]): [ConfigKey, unknown][] {
  return keys.toSorted().map((key) => {
    let value = root
    for (const part of key.split(".")) value = (value as Record<string, unknown> | undefined)?.[part]
    return [key, value]
  })
}

export function hashOf(value: unknown): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(value)).digest("hex")
}

export function areTrusted(
  settings: readonly [ConfigKey, unknown][],
  { env, home, file }: { readonly env: Env; readonly home: string; readonly file: string },
): boolean {
  return trustsAll(env) || readTrust(home)[repositoryKey(dirname(file))]?.settings === hashOf(settings)
}

/** Tells of each program whether a person agreed to it, word for word, for the repository of a folder. */
export function agreedPrograms({
  env,
  home,
  folder,
}: {
  readonly env: Env
  readonly home: string
  readonly folder: string
}): (program: unknown) => boolean {
  if (trustsAll(env)) return () => true
  let known: ReadonlySet<string> | undefined
  return (program) => {
    known ??= new Set(existsSync(folder) ? readTrust(home)[repositoryKey(folder)]?.programs : [])
    return known.has(hashOf(program))
  }
}
