import type { AgentMessage } from "../../agents/port.ts"
import type { Message } from "../../messages/message.ts"
import { markRead } from "../../messages/operations/mark-read.ts"
import { readMailbox } from "../../messages/operations/read-mailbox.ts"
import { sendMessage } from "../../messages/operations/send-message.ts"
import type { Shift } from "./shift.ts"

/** What is written to a worker while its agent runs. */
export interface Inbox extends AsyncDisposable {
  /** For the agent. */
  readonly messages: AsyncIterable<AgentMessage>
  /** A turn of the agent contained it. */
  delivered(messageId: string): Promise<void>
}

export interface InboxOptions {
  /** Messages that the agent knows of by its prompt. */
  readonly known: readonly string[]
  /** What to answer when the lead asks how it stands. */
  status(): string
}

/** Listens until it is disposed of. Requests to shut down are for the worker itself, and answered at once. */
export async function openInbox(shift: Shift, { known, status }: InboxOptions): Promise<Inbox> {
  const { ports, team, worker } = shift
  const ended = new AbortController()
  const queue = makeQueue()
  const seen = new Set(known)
  const watch = await ports.context.store.watch()
  const look = async () => {
    const unread = await readMailbox.run(ports.context, { ...team, inbox: worker, unreadOnly: true })
    for (const message of unread) {
      if (seen.has(message.id)) continue
      seen.add(message.id)
      if (message.type === "shutdown_request") await obeyShutdown(shift, message)
      if (message.type !== "text") continue
      if (textOf(message).startsWith("STATUS CHECK:")) await answerCheck(shift, message.from, status())
      queue.push({ id: message.id, text: forAgent(message) })
    }
  }
  const listening = (async () => {
    while (!ended.signal.aborted) {
      // A store that cannot be asked now is asked again; whoever writes next tells what is wrong with it.
      await look().catch(() => undefined)
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

const LOOK_AGAIN_MS = 60_000

/** The lead wants the worker to end; false when nobody asked. */
export async function heedShutdown(shift: Shift): Promise<boolean> {
  const asked = { ...shift.team, inbox: shift.worker, unreadOnly: true, type: "shutdown_request" } as const
  const [request] = await readMailbox.run(shift.ports.context, asked)
  if (request !== undefined) await obeyShutdown(shift, request)
  return request !== undefined
}

async function obeyShutdown({ ports, team, worker, ending }: Shift, { id, from, payload }: Message): Promise<void> {
  const answer = { request_id: String(payload.request_id), approved: true }
  await sendMessage.run(ports.context, { ...team, from: worker, to: from, type: "shutdown_response", payload: answer })
  await markRead(ports.context, { ...team, inbox: worker, ids: [id] })
  ports.say(`SHUTDOWN ACK: asked to end by ${from}`)
  ending.shutDown()
}

async function answerCheck({ ports, team, worker }: Shift, to: string, status: string): Promise<void> {
  await sendMessage.run(ports.context, { ...team, from: worker, to, type: "text", message: `STATUS: ${status}` })
}

function textOf({ payload }: Message): string {
  return typeof payload.message === "string" ? payload.message : JSON.stringify(payload)
}

function forAgent(message: Message): string {
  return `A message from ${message.from} came in. Take it into account; it changes neither the task nor the file scope.\n\n${textOf(message)}`
}

/** Hands on what is pushed, in order, to the one who reads it. */
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
