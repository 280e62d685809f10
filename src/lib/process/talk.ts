/** A long-running program that answers one request after the other. */
export interface Talk {
  /**
   * Writes the request and reads its answer: `measure` returns the length of the answer in the output so far, or -1
   * while it is incomplete. Requests are sent one at a time. Rejects when the program has ended.
   */
  ask(question: string, measure: (output: Buffer) => number): Promise<Buffer>
  /** Closes its input, so that it ends by itself. The same happens when our process ends. */
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

/** Throws when the program cannot be started. While idle it does not keep our process alive. */
export function startTalk({ command, cwd, env, timeoutMs }: TalkRequest): Talk {
  const child = Bun.spawn([...command], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "ignore" })
  child.unref()
  const reader = child.stdout.getReader()
  let output = Buffer.alloc(0)
  let before: Promise<unknown> = Promise.resolve()

  async function answer(question: string, measure: (output: Buffer) => number): Promise<Buffer> {
    // The timer also keeps our process alive until the answer comes.
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
      // It may have ended already.
      Promise.resolve(child.stdin.end()).catch(() => undefined)
    },
  }
}
