import type { AgentMessage } from "../../agents/port.ts"
import type { Message } from "../../messages/message.ts"
import { markRead } from "../../messages/operations/mark-read.ts"
import { readMailbox } from "../../messages/operations/read-mailbox.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import type { WorkerRun } from "./worker-ports.ts"

export interface Inbox extends AsyncDisposable {
  readonly messages: AsyncIterable<AgentMessage>
  /** Call it when a turn of the agent contained the message. */
  delivered(messageId: string): Promise<void>
}

export interface InboxOptions {
  /** Already in the agent's prompt. */
  readonly known: readonly string[]
  /** Answers a status check of the lead. */
  status(): string
}

const LOOK_AGAIN_MS = 60_000

/** Listens until disposed. The worker itself answers shutdown requests at once. */
export async function openInbox(run: WorkerRun, { known, status }: InboxOptions): Promise<Inbox> {
  const { ports, team, worker } = run
  const ended = new AbortController()
  const queue = makeQueue()
  const seen = new Set(known)
  const watch = await ports.context.store.watch()
  const readNew = async () => {
    const unread = await readMailbox.run(ports.context, { ...team, inbox: worker, unreadOnly: true })
    for (const message of unread) {
      if (seen.has(message.id)) continue
      seen.add(message.id)
      if (message.type === "shutdown_request") await shutDown(run, message)
      if (message.type !== "text") continue
      const text = textOf(message)
      if (text.startsWith("STATUS CHECK:")) {
        const answer = { from: worker, to: message.from, type: "text", message: `STATUS: ${status()}` } as const
        await sendMessage.run(ports.context, { ...team, ...answer })
      }
      const intro = `A message from ${message.from} came in. Take it into account; it changes neither the task nor the file scope.`
      queue.push({ id: message.id, text: `${intro}\n\n${text}` })
    }
  }
  const listening = (async () => {
    while (!ended.signal.aborted) {
      // Without an answer of the store, the next look asks again, and the next write reports the problem.
      await readNew().catch(() => undefined)
      await watch.next(LOOK_AGAIN_MS, ended.signal)
    }
  })()
  return {
    messages: queue.items,
    delivered: (id) => markRead(ports.context, { ...team, inbox: worker, ids: [id] }),
    async [Symbol.asyncDispose]() {
      ended.abort()
      queue.end()
      await listening
      await watch[Symbol.asyncDispose]()
    },
  }
}

export async function checkShutdown(run: WorkerRun): Promise<void> {
  const asked = { ...run.team, inbox: run.worker, unreadOnly: true, type: "shutdown_request" } as const
  const [request] = await readMailbox.run(run.ports.context, asked)
  if (request !== undefined) await shutDown(run, request)
}

async function shutDown({ ports, team, worker, ending }: WorkerRun, { id, from, payload }: Message): Promise<void> {
  const answer = { request_id: String(payload.request_id), approved: true }
  await sendMessage.run(ports.context, { ...team, from: worker, to: from, type: "shutdown_response", payload: answer })
  await markRead(ports.context, { ...team, inbox: worker, ids: [id] })
  ports.say(`SHUTDOWN ACK: asked to end by ${from}`)
  ending.shutDown()
}

function textOf({ payload }: Message): string {
  return typeof payload.message === "string" ? payload.message : JSON.stringify(payload)
}

function makeQueue() {
  const waiting: AgentMessage[] = []
  let wake: (() => void) | undefined
  let isOver = false
  async function* read(): AsyncGenerator<AgentMessage> {
    while (!isOver) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  return {
    items: read(),
    push(message: AgentMessage) {
      waiting.push(message)
      wake?.()
    },
    end() {
      isOver = true
      wake?.()
    },
  }
}
