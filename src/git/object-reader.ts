import { AppError } from "../kernel/errors.ts"
import type { Talk } from "../lib/process/talk.ts"

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
 * Reads objects through long-running git processes. A task asks for objects dozens of times and for differences
 * four times; starting git for each would cost 2.3 ms of CPU, beyond the limit of the benchmark `engine`. Each
 * question resolves names anew. These processes never write: a process that writes must work in the repository,
 * where others can see that it holds a lock.
 */
export interface ObjectReader {
  /** Accepts a full ref name, an id or `HEAD`, also with a suffix such as `^{tree}` or `:path`. */
  read(name: string): Promise<GitObject | undefined>
  id(name: string): Promise<string | undefined>
  commit(name: string): Promise<CommitFacts | undefined>
  /** Output of `git diff-tree`, without attributes. */
  diff(options: readonly string[], from: string, to: string): Promise<string>
}

/** A worker that waits for its agent asks nothing for minutes. */
const IDLE_MS = 5000

/** The reader accepts only unambiguous names. */
export function isFullName(name: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64}|HEAD|main-worktree\/HEAD|refs\/[^\s~^:?*[\\{]+)$/.test(name)
}

export function makeObjectReader(start: (args: readonly string[]) => Talk, newMark: () => string): ObjectReader {
  const talks = new Map<string, { talk: Talk; timer: ReturnType<typeof setTimeout> }>()
  const commits = new Map<string, CommitFacts>()

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
  /** Restarts a killed process once. */
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

  return {
    read,
    async id(name) {
      if (/[\n\0]/.test(name)) return undefined
      const output = await ask(CAT_FILE, `info ${name}\n`, (bytes) => bytes.indexOf(10) + 1 || -1)
      return headerOf(output)?.[1]
    },
    async commit(name) {
      const known = commits.get(name)
      if (known !== undefined) return known
      const object = await read(`${name}^{commit}`)
      if (object === undefined) return undefined
      const facts = parseCommit(object)
      if (commits.size >= MOST_KNOWN) commits.clear()
      // Only ids never change their meaning.
      commits.set(facts.commit, facts)
      return facts
    },
    async diff(options, from, to) {
      const mark = newMark()
      // In a bare repository git reads no attributes, neither from files nor from the index.
      const args = ["--bare", "-c", "core.bare=true", "diff-tree", "--stdin", "-r", ...options]
      // Git echoes a line that is not a pair of ids: this marks the end of the output.
      const output = await ask(args, `${from} ${to}\n${mark}\n`, (bytes) => {
        const at = bytes.indexOf(`${mark}\n`)
        return at === -1 ? -1 : at + mark.length + 1
      })
      return output.toString("utf8", output.indexOf(10) + 1, output.length - mark.length - 1)
    },
  }
}

const CAT_FILE = ["cat-file", "--batch-command"]
const MOST_KNOWN = 50_000

/** `<id> <type> <size>`, the content and a line break; one line for a missing object. */
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
