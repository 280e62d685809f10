// A model's server on loopback that says what a test wrote down. It keeps no state: a marker such as [[hello]] in a
// user's text selects a script, and the number of the model's turns since then is the step, so that a resumed or a
// repeated conversation finds its place by itself.
import {
  type Failure,
  type Fault,
  type Protocol,
  type Question,
  type Reply,
  readRequest,
  refuse,
  stream,
  TOKENS,
  type Turn,
  wholeAnswer,
} from "./model-protocols.ts"

export interface Step extends Reply {
  readonly error?: Failure
  readonly fault?: Fault
  /** How often error or fault happens before it goes well; always, when not given. The one thing that is remembered. */
  readonly times?: number
  /** How long error or fault happens, from the first question on. */
  readonly forMs?: number
}

export type Scripts = Readonly<Record<string, readonly Step[]>>

export interface FakeModel extends AsyncDisposable {
  readonly url: string
  /** What was asked, in order. */
  readonly asked: readonly Asked[]
}

export interface Asked {
  readonly method: string
  readonly path: string
  /** `script/step`, for questions that a script answered. */
  readonly step: string
  /** How often the model had spoken before in that conversation. */
  readonly modelTurns: number
  /** All that was said, as it came. */
  readonly body: string
  /** The key or token that came with it. */
  readonly key: string
}

const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key"]

const ROUTES: readonly [RegExp, Protocol][] = [
  [/^\/v1\/messages$/, "anthropic"],
  [/^\/v1\/responses$/, "responses"],
  [/^\/v1\/chat\/completions$/, "chat"],
  [/:(?:stream)?[gG]enerateContent$/, "gemini"],
]

export function startFakeModel(scripts: Scripts): FakeModel {
  const asked: Asked[] = []
  const began = new Map<string, number>()
  const hasTrouble = (name: string, { times = Number.POSITIVE_INFINITY, forMs = Number.POSITIVE_INFINITY }: Step) => {
    if (!began.has(name)) began.set(name, Date.now())
    const isEarly = Date.now() - (began.get(name) ?? 0) < forMs
    return isEarly && asked.filter(({ step }) => step === name).length <= times
  }
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    // A model that hangs must not be cut off by its own server.
    idleTimeout: 0,
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const protocol = ROUTES.find(([pattern]) => pattern.test(path))?.[1]
      const { method, headers } = request
      const key = KEY_HEADERS.map((name) => headers.get(name)).find((value) => value !== null) ?? ""
      if (protocol === undefined || method !== "POST") {
        asked.push({ method, path, step: "", modelTurns: 0, body: "", key })
        return sideQuestion(path)
      }
      const body = await request.text()
      const question = readRequest(protocol, path, JSON.parse(body))
      const { name, step } = select(scripts, question)
      asked.push({ method, path, step: name, modelTurns: countModelTurns(question.turns), body, key })
      const trouble = hasTrouble(name, step) ? step : {}
      if (trouble.error !== undefined) return refuse(protocol, trouble.error)
      const reply: Reply = {
        text: step.text?.replaceAll("{{lastToolResult}}", question.lastToolResult),
        tool: step.tool,
      }
      return question.isStreaming ? stream(protocol, reply, trouble.fault) : wholeAnswer(protocol, reply, trouble.fault)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Lists of models, counts of tokens, signs of life. */
function sideQuestion(path: string): Response {
  if (/count_?tokens$/i.test(path)) return Response.json({ input_tokens: TOKENS.input, totalTokens: TOKENS.input })
  if (path === "/" || path === "/api/hello") return new Response("")
  return Response.json({ error: { message: "not here" } }, { status: 404 })
}

const DEFAULT: Step = { text: "nothing to say" }

function select(scripts: Scripts, { turns, hasTools }: Question): { name: string; step: Step } {
  // Without tools it is a helper's question, such as one for a title.
  if (!hasTools) return { name: "default/0", step: DEFAULT }
  const markers = (text: string) => [...text.matchAll(/\[\[([\w-]+)\]\]/g)].map((match) => match[1] ?? "")
  const known = (turn: Turn) => (turn.role === "user" ? markers(turn.text).filter((name) => name in scripts) : [])
  const start = turns.findLastIndex((turn) => known(turn).length > 0)
  const marked = turns[start]
  const name = marked === undefined ? undefined : known(marked).at(-1)
  const script = name === undefined ? undefined : scripts[name]
  if (script === undefined) return { name: "default/0", step: DEFAULT }
  const answered = countModelTurns(turns.slice(start))
  return { name: `${name}/${answered}`, step: script[Math.min(answered, script.length - 1)] ?? DEFAULT }
}

/** A turn of several parts may come as several entries. */
function countModelTurns(turns: readonly Turn[]): number {
  return turns.filter(({ role }, i) => role === "model" && turns[i - 1]?.role !== "model").length
}
