import type { Place } from "./program.ts"

/** A server as an agent program starts it. Bare lines: a client library would be measured along with it. */
export interface McpServer extends AsyncDisposable {
  call<T = unknown>(name: string, given: Record<string, unknown>): Promise<T>
  residentBytes(): number
}

interface Answer {
  readonly id?: number
  readonly error?: { readonly message: string }
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: unknown }
}

/** Returns when the server has answered for the first time. */
export async function startMcp(command: readonly string[], { cwd, env }: Place): Promise<McpServer> {
  const child = Bun.spawn([...command], { cwd, env, stdio: ["pipe", "pipe", "inherit"] })
  const waiting = new Map<number, (answer: Answer) => void>()
  const reading = readLines(child.stdout, (line) => {
    const answer = JSON.parse(line) as Answer
    waiting.get(answer.id ?? -1)?.(answer)
  })
  let last = 0
  const ask = (method: string, params: Record<string, unknown>) => {
    const id = ++last
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve))
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
    child.stdin.flush()
    return answered.finally(() => waiting.delete(id))
  }
  const clientInfo = { name: "bench", version: "1.0.0" }
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo })
  return {
    async call<T>(name: string, given: Record<string, unknown>) {
      const { error, result } = await ask("tools/call", { name, arguments: given })
      if (error !== undefined || result?.isError === true)
        throw new Error(`${name}: ${JSON.stringify(error ?? result)}`)
      return result?.structuredContent as T
    },
    residentBytes() {
      const { stdout } = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(child.pid)])
      return Number(stdout.toString()) * 1024
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await Promise.all([child.exited, reading])
    },
  }
}

async function readLines(stream: ReadableStream<Uint8Array>, see: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) see(line)
  }
}
