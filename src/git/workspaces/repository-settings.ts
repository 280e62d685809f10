import { statSync } from "node:fs"
import type { Git } from "../git.ts"

/** Settings that affect files or display. */
const COPIED = [
  /^core\.(?:filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|safecrlf|longpaths|protecthfs|protectntfs)$/,
  /^core\.(?:attributesfile|excludesfile|bigfilethreshold|whitespace|abbrev|commentchar|sparsecheckout|sparsecheckoutcone)$/,
  /^(?:user|author|committer|filter|diff|merge|color|i18n|index|lfs|pull|rebase|init|push)\./,
  /^extensions\.objectformat$/,
]

/** A passphrase prompt would hang, and background maintenance would outlive the agent's run. */
const OWN = [
  ["core.bare", "false"],
  ["core.logallrefupdates", "true"],
  ["commit.gpgsign", "false"],
  ["tag.gpgsign", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
] as const

interface UserRepository {
  readonly git: Git
  readonly commonDir: string
  readonly remotes: readonly string[]
}

/** Valid until one of the settings files changes. */
const known = new Map<string, { readonly stamp: string; readonly text: string }>()

/** The `config` file of a repository for a worker or a gate. */
export async function settingsText({ git, commonDir, remotes }: UserRepository): Promise<string> {
  const files = ["config", "config.worktree"].map((name) => `${commonDir}/${name}`)
  const key = JSON.stringify([commonDir, remotes])
  const stamp = JSON.stringify(files.map(stampOf))
  const earlier = known.get(key)
  if (earlier?.stamp === stamp) return earlier.text
  const all: Setting[] = []
  for (const file of files) if (stampOf(file) !== null) all.push(...(await readSettings(git, file)))
  const text = write(choose(all, remotes))
  known.set(key, { stamp, text })
  return text
}

function stampOf(file: string): string | null {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? null : `${stat.mtimeNs} ${stat.size} ${stat.ino}`
}

/** Null for a key without `=`, which means true. */
type Setting = readonly [key: string, value: string | null]

async function readSettings(git: Git, file: string): Promise<Setting[]> {
  const entries = await git.list(["config", "--file", file, "--includes", "--null", "--list"])
  return entries.map((entry) => {
    const end = entry.indexOf("\n")
    return end === -1 ? [entry, null] : [entry.slice(0, end), entry.slice(end + 1)]
  })
}

function choose(all: readonly Setting[], remotes: readonly string[]): Setting[] {
  const isCopied = ([key]: Setting) => COPIED.some((pattern) => pattern.test(key))
  const isRemote = ([key]: Setting) =>
    remotes.some((name) => key.startsWith(`remote.${name}.`)) ||
    (remotes.length > 0 && (key === "extensions.partialclone" || /^(?:url|credential|http)\./.test(key)))
  const copied = all.filter((setting) => isCopied(setting) || isRemote(setting))
  const version = copied.some(([key]) => key.startsWith("extensions.")) ? "1" : "0"
  return [["core.repositoryformatversion", version], ...copied, ...OWN]
}

function write(settings: readonly Setting[]): string {
  return settings
    .map(([key, value]) => {
      const [first, last] = [key.indexOf("."), key.lastIndexOf(".")]
      const section = key.slice(0, first)
      const head = first === last ? `[${section}]` : `[${section} ${quote(key.slice(first + 1, last))}]`
      return `${head}\n\t${key.slice(last + 1)}${value === null ? "" : ` = ${quote(value).replaceAll("\n", "\\n")}`}\n`
    })
    .join("")
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`
}
