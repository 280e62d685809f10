import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { owning } from "../../test/support/agents.ts"
import { resolvePath } from "../lib/paths.ts"
import { findWriteProblem } from "./owned-files.ts"

const asIs = (path: string, from = "") => resolvePath(`${from}/${path}`)
const judge = (globs: readonly string[], file: string, followLinks = asIs) =>
  findWriteProblem({ workspace: "/w", ownership: owning(...globs) }, [file], followLinks)

describe("globs", () => {
  it.each([
    ["src/**", "src/a.ts"],
    ["src/**", "src/deep/.hidden/b.ts"],
    ["./src/**", "./src/a.ts"],
    ["docs/", "docs/x/y.md"],
    ["a.txt", "a.txt"],
    ["a.txt", "src/../a.txt"],
    ["a.txt", "/w/a.txt"],
    ["*.ts", "x.ts"],
    ["**/*.ts", "x.ts"],
    ["**", ".env"],
    ["src/{a,b}/*.ts", "src/b/x.ts"],
    ["pages/[id].ts", "pages/[id].ts"],
    ["pages/[id].ts", "pages/d.ts"],
  ])("%s owns %s", (glob, file) => {
    expect(judge([glob], file)).toBeUndefined()
  })

  it.each([
    ["src/**", "src"],
    ["src/**", "srcs/a.ts"],
    ["src/*", "src/deep/a.ts"],
    ["*.ts", "src/x.ts"],
    ["src/**", "src/../b.ts"],
    ["src/**", "/src/a.ts"],
    ["src/**", "/w2/src/a.ts"],
    ["**", "../w2/a.ts"],
    ["**", "/w"],
    ["**", ""],
    ["**", "."],
    ["**", "~/a.ts"],
    ["../x/**", "../x/a.ts"],
  ])("%p does not own %p", (glob, file) => {
    expect(judge([glob], file)).toBeString()
  })

  it("leave what is shared to the lead, and take what it grants", () => {
    const ownership = { ...owning("**"), shared: ["**/package.json"], granted: ["a/package.json"] }
    const judged = (file: string) => findWriteProblem({ workspace: "/w", ownership }, [file], asIs)
    expect(judged("package.json")).toContain("is a shared file, which only the lead may change")
    expect(judged("a/package.json")).toBeUndefined()
  })

  it("leave to a task without any what no other owns", () => {
    const ownership = { ...owning(), others: [{ id: "2", files: ["src/"] }] }
    const judged = (file: string) => findWriteProblem({ workspace: "/w", ownership }, [file], asIs)
    expect(judged("docs/a.md")).toBeUndefined()
    expect(judged("src/a.ts")).toContain("belongs to task 2")
  })
})

it("one foreign file is enough, and it is named", () => {
  const owned = { workspace: "/w", ownership: owning("src/**") }
  expect(findWriteProblem(owned, ["src/a.ts", "b.txt", "c.txt"], asIs)).toStartWith('"b.txt" does not belong')
  expect(findWriteProblem(owned, ["src/a.ts", "src/b.ts"], asIs)).toBeUndefined()
})

describe("links", () => {
  const links: Record<string, string> = { "/w": "/real", "/real/src/out": "/etc", "/real/src/in": "/real/docs" }
  const follow = (path: string, from = ""): string => {
    let place = from
    for (const part of path.split("/")) {
      if (part === "" || part === ".") continue
      place = part === ".." ? place.slice(0, place.lastIndexOf("/")) : `${place}/${part}`
      place = links[place] ?? place
    }
    return place
  }

  it("lead to where the file really is", () => {
    expect(judge(["src/**"], "src/a.ts", follow)).toBeUndefined()
    expect(judge(["src/**"], "/real/src/a.ts", follow)).toBeUndefined()
    expect(judge(["src/**"], "src/out/passwd", follow)).toBeString()
    expect(judge(["src/**"], "src/in/a.md", follow)).toBeString()
    expect(judge(["src/**", "docs/**"], "src/in/a.md", follow)).toBeUndefined()
  })

  it("with .. behind them count for both readings", () => {
    // Beside the link it is src/x, beside where the link leads it is /x.
    expect(judge(["src/**"], "src/out/../x", follow)).toBeString()
    // Beside where the link leads it is README.md, which is owned; beside the link it is src/README.md.
    expect(judge(["README.md"], "src/in/../README.md", follow)).toBeString()
    expect(judge(["README.md", "src/**"], "src/in/../README.md", follow)).toBeUndefined()
  })
})

it("nothing outside of the workspace is owned, whatever the path and the globs", () => {
  const part = fc.constantFrom("..", ".", "", "w", "w2", "src", "a.ts", "~")
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, isAbsolute) => {
      const file = `${isAbsolute ? "/" : ""}${parts.join("/")}`
      const place = asIs(file.startsWith("/") ? file : `/w/${file}`)
      const isOwned = judge(["**"], file) === undefined
      expect(isOwned).toBe(place.startsWith("/w/") && !file.startsWith("~"))
    }),
  )
})
