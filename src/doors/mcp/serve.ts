import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio"
import { AppError } from "../../kernel/errors.ts"
import type { Words } from "../../kernel/remedy.ts"
import { sleep } from "../../lib/sleep.ts"
import { explainDenied } from "../denied-write.ts"
import { callTool, findTool } from "./call-tool.ts"
import { listTools } from "./list-tools.ts"
import { mcpWords } from "./mcp-words.ts"
import { noticeChanges } from "./notices.ts"
import { reportProgress } from "./progress.ts"
import { getPrompt, listPrompts } from "./prompts.ts"
import { findResource, listResources, listTemplates, readResource } from "./resources.ts"
import { type Answer, answerWith, answerWithError, unexpected } from "./tool-answers.ts"
import type { Call, Connection } from "./tool-session.ts"
import { TOOLS, type Tool } from "./tool-table.ts"

/**
 * Serves one client until it closes our input or an interrupt. Then running calls end, but claims stay, as when a
 * session is closed.
 */
export async function serve(connection: Connection): Promise<void> {
  const { io } = connection.session.host
  const ended = new AbortController()
  const running = new Set<Promise<unknown>>()
  const transport = new StdioServerTransport()
  const closed = Promise.withResolvers<void>()
  const handle = serveStdio(async ({ era }) => makeServer(connection, { era, ended: ended.signal, running }), {
    transport,
  })
  const close = transport.onclose
  transport.onclose = () => {
    close?.()
    closed.resolve()
  }
  const interrupt = () => void handle.close()
  io.interrupted.addEventListener("abort", interrupt)
  if (io.interrupted.aborted) interrupt()
  await closed.promise
  ended.abort()
  await Promise.allSettled(running)
}

interface Serving {
  /** Clients before July 2026 name their subscriptions; for later ones the library does that. */
  readonly era: "legacy" | "modern"
  readonly ended: AbortSignal
  readonly running: Set<Promise<unknown>>
}

async function makeServer(connection: Connection, { era, ended, running }: Serving): Promise<Server> {
  const { version } = connection.session.host
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {} }
  const instructions = await instructionsFor(connection)
  const server = new Server({ name: "teamwork", version }, { capabilities, instructions })
  const track = <T>(work: Promise<T>): Promise<T> => {
    running.add(work)
    return work.finally(() => running.delete(work))
  }
  server.setRequestHandler("tools/list", () =>
    refusing(connection, async () => ({ tools: await listTools(await connection.who(), connection.session.commands) })),
  )
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const answered = await track(answer(connection, params.name, params.arguments ?? {}, mcpReq))
    const isSeated = answered.isError !== true && TOOLS.some(({ name, isSeating }) => isSeating && name === params.name)
    if (isSeated) await server.sendToolListChanged()
    return answered
  })
  server.setRequestHandler("prompts/list", async () => ({ prompts: listPrompts(await connection.who()) }))
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: values = {} } }, { mcpReq }) =>
    track(refusing(connection, () => getPrompt(connection, { name, values }, quiet(mcpReq.signal)))),
  )
  await serveResources(server, connection, { era, ended, running })
  return server
}

async function serveResources(server: Server, connection: Connection, { era, ended }: Serving): Promise<void> {
  const subscribed = new Set<string>()
  const gone = new AbortController()
  server.onclose = () => gone.abort()
  let watching: Promise<void> | undefined
  const watch = () => {
    watching ??= new Promise((onReady) => {
      void noticeChanges(connection, {
        signal: AbortSignal.any([ended, gone.signal]),
        onChange(uri) {
          if (era === "modern" || subscribed.has(uri)) void server.sendResourceUpdated({ uri }).catch(() => {})
        },
        onReady,
      })
    })
    return watching
  }
  server.setRequestHandler("resources/list", () => ({ resources: listResources() }))
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: listTemplates() }))
  server.setRequestHandler("resources/read", ({ params: { uri } }, { mcpReq }) =>
    refusing(connection, async () => {
      assertResource(uri)
      return { contents: [await readResource(connection, uri, quiet(mcpReq.signal))] }
    }),
  )
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    assertResource(uri)
    subscribed.add(uri)
    // Watch before the answer, so that no later event is missed.
    await watch()
    return {}
  })
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri)
    return {}
  })
  // The library answers subscriptions of these clients, but only after the server is made.
  if (era === "modern") await Promise.race([watch(), sleep(LONGEST_LOOK_MS, ended)])
}

/** A slow store must not delay the start of the server. */
const LONGEST_LOOK_MS = 1000

function assertResource(uri: string): void {
  try {
    findResource(uri)
  } catch (error) {
    throw error instanceof AppError ? new ResourceNotFoundError(uri, error.message) : error
  }
}

async function answer(
  connection: Connection,
  name: string,
  given: Record<string, unknown>,
  mcpReq: ServerContext["mcpReq"],
): Promise<Answer> {
  const { signal } = mcpReq
  const tool = await refusing(connection, async () => findTool(name))
  const { isDebugging, env } = connection.session.host
  const token = mcpReq._meta?.progressToken
  const ending = new AbortController()
  const progress =
    tool.isLong === true && token !== undefined
      ? reportProgress({ env, signal: AbortSignal.any([signal, ending.signal]) }, (said) =>
          mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, ...said } }),
        )
      : undefined
  const call = { signal, onOutput: progress?.onOutput ?? (() => {}) }
  try {
    return answerWith(await callTool(connection, tool, given, call))
  } catch (error) {
    const failure = error instanceof AppError ? error : (explainDenied(error) ?? unexpected(error, isDebugging))
    return answerWithError(failure, await wordsFor(connection, failure, tool))
  } finally {
    ending.abort()
    await progress?.ended
  }
}

async function wordsFor(connection: Connection, error: AppError, tool?: Tool): Promise<Words> {
  const who = await connection.who().catch(() => null)
  return mcpWords(error, { who, commands: connection.session.commands, tool })
}

const quiet = (signal: AbortSignal): Call => ({ signal, onOutput: () => {} })

async function refusing<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const said = error.tell(await wordsFor(connection, error))
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${error.code}: ${said}`)
  }
}

async function instructionsFor(connection: Connection): Promise<string> {
  const rest = "Errors begin with a stable code; claim.lost means that the task is no longer yours: stop work on it."
  // Without a store the caller is unknown. Later calls report the error, or find the store.
  const who = await connection.who().catch(() => undefined)
  if (who === undefined) return rest
  const { worker, project, team, mayRun, mayHold } = who
  if (worker === null)
    return `You lead the team ${team} of project ${project}: plan with task_create, look with team_status and task_list, talk with message_send and message_read. ${rest}`
  if (!mayHold)
    return `You work for worker ${worker} of the team ${team} of project ${project}, which claims your task and brings it to an end. Ask for files that you do not own with ownership_ask and for decisions with escalate, and look up what the team knows with wisdom_list and explore_list. ${rest}`
  return `You are worker ${worker} of the team ${team} of project ${project}. Take work with task_claim {"next": true}, prove it with ${mayRun ? "evidence_run" : "evidence_add"}, end it with task_update {"status": "resolved"}, and read what is said to you with message_read. You write only files that your task owns; ask with ownership_ask. ${rest}`
}
