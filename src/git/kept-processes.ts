import { AppError } from "../kernel/errors.ts"
import type { Talk } from "../lib/process/talk.ts"

/** What a commit says of itself. */
export interface CommitFacts {
  readonly commit: string
  readonly tree: string
  readonly parents: readonly string[]
}

export interface GitObject {
  readonly id: string
  readonly type: string
  readonly content: Buffer
}

/**
 * What git processes answer that stay for as long as they are asked: to start one for each question costs far more than
 * the answer. Names are looked up anew at each question, so what others did meanwhile is seen. They only read: whoever
 * writes must be found by those who wait for the git of a killed process, and so is started for it, where it writes.
 */
export interface Answers {
  /** What a full name of a ref, an id or `HEAD` means, also with a suffix such as `^{tree}` or `:path`. */
  read(name: string): Promise<GitObject | undefined>
  /** Only its id. */
  id(name: string): Promise<string | undefined>
  /** The same for commits. */
  commit(name: string): Promise<CommitFacts | undefined>
  /** What `git diff-tree` prints of two trees with these options. No attributes of files are heeded. */
  diff(options: readonly string[], from: string, to: string): Promise<string>
}

/** Whoever waits for an agent needs none of them for minutes. */
const IDLE_MS = 5000

/** Whether a name can be answered: one that git would have to guess about may change its meaning with what is there. */
export function isFullName(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64}|HEAD|main-worktree\/HEAD|refs\/[^\s~^:?*[\\{]+)$/.test(name)
}

export function makeAnswers(start: (args: readonly string[]) => Talk, newMark: () => string): Answers {
  const talks = new Map<string, { talk: Talk; timer: ReturnType<typeof setTimeout> }>()
  const known = new Map<string, CommitFacts>()

  function open(args: readonly string[]): Talk {
    const key = args.join("\0")
    const talk = talks.get(key)?.talk ?? start(args)
    clearTimeout(talks.get(key)?.timer)
    const timer = setTimeout(() => close(args), IDLE_MS)
    timer.unref()
    talks.set(key, { talk, timer })
    return talk
  }
  function close(args: readonly string[]): void {
    const key = args.join("\0")
    talks.get(key)?.talk.end()
    talks.delete(key)
  }
  /** One that was killed is replaced. */
  async function ask(args: readonly string[], question: string, measure: (output: Buffer) => number): Promise<Buffer> {
    for (let isAgain = false; ; isAgain = true) {
      try {
        return await open(args).ask(question, measure)
      } catch (error) {
        close(args)
        if (isAgain)
          throw new AppError("git.failed", `git ${args.find((arg) => /^[a-z]+-/.test(arg))} gave no answer`, {
            args,
            cause: String(error),
          })
      }
    }
  }

  async function read(name: string): Promise<GitObject | undefined> {
    if (/[\n\0]/.test(name)) return undefined
    const output = await ask(CAT_FILE, `contents ${name}\n`, measureObject)
    const [, id, type] = headerOf(output) ?? []
    if (id === undefined || type === undefined) return undefined
    return { id, type, content: output.subarray(output.indexOf(10) + 1, -1) }
  }

  function remember(facts: CommitFacts): CommitFacts {
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(facts.commit, facts)
    return facts
  }

  return {
    read,
    async id(name) {
      if (/[\n\0]/.test(name)) return undefined
      const output = await ask(CAT_FILE, `info ${name}\n`, (bytes) => bytes.indexOf(10) + 1 || -1)
      return headerOf(output)?.[1]
    },
    async commit(name) {
      const old = known.get(name)
      if (old !== undefined) return old
      const object = await read(`${name}^{commit}`)
      return object === undefined ? undefined : remember(parseCommit(object))
    },
    async diff(options, from, to) {
      const mark = newMark()
      // Of a repository without a checkout no attributes are read, neither from files nor from the index.
      const args = ["--bare", "-c", "core.bare=true", "diff-tree", "--stdin", "-r", ...options]
      // What is no pair of ids it repeats as it is, and so tells that it is done with what came before.
      const output = await ask(args, `${from} ${to}\n${mark}\n`, (bytes) => {
        const at = bytes.indexOf(`${mark}\n`)
        return at === -1 ? -1 : at + mark.length + 1
      })
      return output.toString("utf8", output.indexOf(10) + 1, output.length - mark.length - 1)
    },
  }
}

const CAT_FILE = ["cat-file", "--batch-command"]

/** What a commit's id stands for never changes. */
const MOST_KNOWN = 50_000

/** `<id> <type> <size>`, the content and a line break; for what is not there one line that says so. */
function measureObject(output: Buffer): number {
  const end = output.indexOf(10)
  if (end === -1) return -1
  const size = headerOf(output)?.[3]
  const length = size === undefined ? end + 1 : end + 1 + Number(size) + 1
  return output.length < length ? -1 : length
}

function headerOf(output: Buffer): RegExpExecArray | null {
  return /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(output.toString("utf8", 0, output.indexOf(10)))
}

function parseCommit({ id, content }: GitObject): CommitFacts {
  const end = content.indexOf("\n\n")
  const lines = content.toString("latin1", 0, end === -1 ? content.length : end).split("\n")
  const valuesOf = (key: string) => lines.filter((line) => line.startsWith(key)).map((line) => line.slice(key.length))
  return { commit: id, tree: valuesOf("tree ")[0] ?? "", parents: valuesOf("parent ") }
}
