/** A program that stays and answers one question after the other. */
export interface Talk {
  /**
   * Writes the question and reads its answer: `measure` tells how many of the bytes read so far are the answer, or -1
   * while it is not complete. Questions wait for each other. Rejects once the program has ended.
   */
  ask(question: string, measure: (output: Buffer) => number): Promise<Buffer>
  /** Lets it end by itself; it also ends with us, whatever we end by, since nobody writes to it any more. */
  end(): void
}

export interface TalkRequest {
  readonly command: readonly string[]
  readonly cwd: string
  /** The whole environment of the child; nothing is inherited by accident. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A program that takes longer for an answer is killed. */
  readonly timeoutMs: number
}

/** Throws when the program cannot be started. While nothing is asked it keeps nobody from ending. */
export function startTalk({ command, cwd, env, timeoutMs }: TalkRequest): Talk {
  const child = Bun.spawn([...command], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "ignore" })
  child.unref()
  const reader = child.stdout.getReader()
  let output = Buffer.alloc(0)
  let before: Promise<unknown> = Promise.resolve()

  async function answer(question: string, measure: (output: Buffer) => number): Promise<Buffer> {
    // It also keeps us from ending before there is an answer.
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs)
    try {
      child.stdin.write(question)
      await child.stdin.flush()
      for (;;) {
        const length = measure(output)
        if (length >= 0) {
          const taken = output.subarray(0, length)
          output = output.subarray(length)
          return taken
        }
        const { value, done } = await reader.read()
        if (done) throw new Error(`${command[0]} ended before it answered`)
        output = output.length === 0 ? Buffer.from(value) : Buffer.concat([output, value])
      }
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    ask(question, measure) {
      const asked = before.then(() => answer(question, measure))
      before = asked.catch(() => undefined)
      return asked
    },
    end() {
      // Whoever has gone already needs no word.
      Promise.resolve(child.stdin.end()).catch(() => undefined)
    },
  }
}
