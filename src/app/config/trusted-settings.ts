import { existsSync, readFileSync, realpathSync, statSync } from "node:fs"
import * as v from "valibot"
import { dirname, resolvePath } from "../../lib/paths.ts"
import { type Env, variable } from "./environment.ts"
import type { SettingKey } from "./settings.ts"

const TrustRecord = v.object({
  /** Hash of the settings in its file. */
  settings: v.string(),
  /** Hash of each program. */
  programs: v.array(v.string()),
  /** The text that the person saw. */
  shown: v.array(v.string()),
  at: v.string(),
})
export type TrustRecord = v.InferOutput<typeof TrustRecord>
export type TrustFile = Readonly<Record<string, TrustRecord>>

export function trustFileOf(home: string): string {
  return `${home}/trust.json`
}

/** An unreadable file or record grants nothing. */
export function readTrust(home: string): TrustFile {
  try {
    const json: unknown = JSON.parse(readFileSync(trustFileOf(home), "utf8"))
    return Object.fromEntries(Object.entries(json ?? {}).filter((entry) => v.is(TrustRecord, entry[1])))
  } catch {
    return {}
  }
}

/** The folder that all checkouts share; outside of a repository, the folder itself. */
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

/** For scripts and tests, which cannot ask a person. A repository cannot set it. */
export function trustsAll(env: Env): boolean {
  return variable(env, "TEAMWORK_TRUST") === "all"
}

/** As written, so that a relative path is the same in every checkout. */
export function rawSettings(root: unknown, keys: readonly SettingKey[]): [SettingKey, unknown][] {
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
  settings: readonly [SettingKey, unknown][],
  { env, home, file }: { readonly env: Env; readonly home: string; readonly file: string },
): boolean {
  return trustsAll(env) || readTrust(home)[repositoryKey(dirname(file))]?.settings === hashOf(settings)
}

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
