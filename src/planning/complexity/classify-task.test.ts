import { describe, expect, it } from "bun:test"
import { classifyTask } from "./classify-task.ts"
import WORDS from "./signal-words.json"

const families = (text: string) => {
  const { backend, frontend } = classifyTask(text)
  return { backend: backend.map(({ family }) => family), frontend: frontend.map(({ family }) => family) }
}

describe("classifyTask", () => {
  it.each(
    "api, server, database, script, docker, auth, middleware, redis, queue, worker, webhook, graphql, REST, grpc, lambda, serverless, terraform".split(
      ", ",
    ),
  )("takes %j for backend", (word) => {
    expect(classifyTask(`Change the ${word}`)).toEqual({
      domain: "backend",
      backend: [{ family: expect.any(String), word: word.toLowerCase() }],
      frontend: [],
    })
  })

  it.each(
    "component, ui, css, react, vue, design, layout, animation, accessibility, tailwind, svg, icon, font, color, storybook".split(
      ", ",
    ),
  )("takes %j for frontend", (word) => {
    expect(classifyTask(`Change the ${word}`)).toEqual({
      domain: "frontend",
      backend: [],
      frontend: [{ family: expect.any(String), word }],
    })
  })

  it("knows at least sixty words", () => {
    const tables = [WORDS.backend, WORDS.frontend, WORDS.operations]
    const words = tables.flatMap((table) => Object.values(table).flat())
    expect(words.length).toBeGreaterThanOrEqual(60)
    expect(new Set(words).size).toBe(words.length)
    for (const word of words.filter((each) => each !== "rest")) {
      const { backend, frontend } = classifyTask(`Touch the ${word.replace("*", "")}`)
      expect({ word, found: backend.length + frontend.length > 0 }).toEqual({ word, found: true })
    }
  })

  it("knows the domain of every word it has", () => {
    for (const [domain, tables] of [
      ["backend", [WORDS.backend, WORDS.operations]],
      ["frontend", [WORDS.frontend]],
    ] as const) {
      const entries = tables.flatMap((table) => Object.values(table).flat())
      // "rest" alone is what remains; "design" is in the way of nothing here.
      const wrong = entries.filter(
        (entry) => entry !== "rest" && classifyTask(entry.replace("*", "")).domain !== domain,
      )
      expect(wrong).toEqual([])
    }
  })

  it.each([
    ["auth", ["auth", "authentication", "authenticate", "authorization", "authorise", "OAuth", "OAuth2", "JWT", "SSO"]],
    ["server", ["server", "servers", "Server", "server-side", "server's"]],
    ["database", ["database", "databases", "PostgreSQL", "MySQL", "DB"]],
    ["graphql", ["GraphQL", "graphql"]],
    ["script", ["script", "scripts", "scripting", "shell"]],
    ["query", ["query", "queries"]],
    ["cache", ["cache", "caches", "cached", "caching"]],
  ])("counts the family %s in every form", (family, words) => {
    for (const word of words) expect({ word, ...families(word) }).toEqual({ word, backend: [family], frontend: [] })
  })

  it.each([
    ["component", ["component", "components", "Component"]],
    ["style", ["style", "styles", "styling", "styled", "restyle"]],
    ["color", ["color", "colors", "colour", "colours", "coloured"]],
    ["accessibility", ["accessibility", "accessible", "a11y", "ARIA", "screen-reader"]],
    ["frontend", ["frontend", "front-end", "front end", "client-side"]],
    ["animation", ["animation", "animations", "animate", "animated"]],
  ])("counts the family %s in every form", (family, words) => {
    for (const word of words) {
      const found = families(word)
      expect({ word, has: found.frontend.includes(family), backend: found.backend }).toEqual({
        word,
        has: true,
        backend: [],
      })
    }
  })

  it.each([
    "The author, the authors and their authority",
    "Handle the rest of the file, and let it rest",
    "THE REST OF IT",
    "React to the event",
    "The description of a subscription in JavaScript or TypeScript",
    "An iconic performance in the form of a poem",
    "Follow the code style",
    "A lambda expression",
    "https://api.example.com/docker/css and api@server.com",
    "Observers, requests and platforms",
    "",
    "   \n\t",
    "…—🎨🧪",
  ])("finds nothing in %j", (text) => {
    expect(classifyTask(text)).toEqual({ domain: "ambiguous", backend: [], frontend: [] })
  })

  it("counts a family once, however often it is named", () => {
    expect(families("API, api, APIs: authenticate with OAuth, JWT and authorization")).toEqual({
      backend: ["api", "auth"],
      frontend: [],
    })
  })

  it("takes a tie for ambiguous, and one more for a lead", () => {
    expect(classifyTask("the API and the UI").domain).toBe("ambiguous")
    expect(classifyTask("the API, the queue and the UI").domain).toBe("backend")
    expect(classifyTask("the API, the layout and the UI").domain).toBe("frontend")
  })

  it("takes REST for the architecture in capitals or before what is built that way", () => {
    expect(families("A REST interface").backend).toEqual(["rest"])
    expect(families("rest endpoints").backend).toEqual(["rest", "endpoint"])
    expect(families("RESTful routes").backend).toEqual(["rest"])
  })

  it("does not take the design of a system for the work of designers", () => {
    expect(families("Design the API").frontend).toEqual([])
    expect(families("Write a design doc").frontend).toEqual([])
    expect(families("A database design").frontend).toEqual([])
    expect(families("Design the start page").frontend).toEqual(["design", "page"])
  })

  it("takes names apart", () => {
    expect(families("src/components/LoginButton.tsx")).toEqual({
      backend: [],
      frontend: ["component", "button", "html"],
    })
    expect(families("UserController and user_schema").backend).toEqual(["controller", "schema"])
  })
})
