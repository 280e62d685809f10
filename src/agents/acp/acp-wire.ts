// The Agent Client Protocol on the wire: JSON-RPC, one message per line. We use only the types of the SDK: its
// connection would read the streams at its own pace and drop unknown messages, but the runner must own the streams for
// limits, back-pressure and the order of events.
import type { InitializeRequest } from "@agentclientprotocol/sdk"
import type { Json } from "../json-line.ts"

export const PROTOCOL_VERSION = 1
export const INITIALIZE_ID = 0

export const METHOD_NOT_FOUND = -32601

/** We offer no files and no terminals: some agents fail to write a new file through a client. */
export function initializeLine(): string {
  const params: InitializeRequest = {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "teamwork", version: "0" },
  }
  return encode({ id: INITIALIZE_ID, method: "initialize", params })
}

export function makeOutbox() {
  let waiting = ""
  let lastId = INITIALIZE_ID
  return {
    request(method: string, params: object): number {
      waiting += encode({ id: ++lastId, method, params })
      return lastId
    },
    notify(method: string, params: object): void {
      waiting += encode({ method, params })
    },
    answer(id: unknown, result: object): void {
      waiting += encode({ id, result })
    },
    refuse(id: unknown, code: number, message: string): void {
      waiting += encode({ id, error: { code, message } })
    },
    take(): string {
      const taken = waiting
      waiting = ""
      return taken
    },
  }
}

function encode(message: Json): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`
}
