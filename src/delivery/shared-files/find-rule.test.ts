import { describe, expect, it } from "bun:test"
import fc from "fast-check"
import { findRuleFor } from "./find-rule.ts"
import type { Decide, TextMerge } from "./shared-file.ts"

function merge(path: string, texts: readonly [string, string, string], decide: Decide = () => undefined) {
  const [base, ours, theirs] = texts
  const sides = { base, ours, theirs }
  const rule = findRuleFor(path, sides)
  const merged: TextMerge | undefined = rule?.merge(sides, decide)
  if (merged !== undefined && "text" in merged) {
    expect(rule?.isValid(merged.text)).toBeTrue()
    return merged.text
  }
  return merged?.undecided.map(({ key }) => key)
}

describe("files that are merged line by line", () => {
  it("takes all exports that were added to a barrel", () => {
    const base = 'export * from "./a"\n'
    const one = `${base}export { b } from "./b"\n`
    const two = `${base}export type { C } from './c';\n`
    expect(merge("src/index.ts", [base, one, two])).toBe(
      'export * from "./a"\nexport { b } from "./b"\nexport type { C } from \'./c\';\n',
    )
    expect(merge("src/index.ts", ["", one, two])).toContain("./c")
  })

  it("does not take a file with code of its own for a barrel", () => {
    const base = "export const a = 1\n"
    expect(merge("src/index.ts", [base, "export const a = 2\n", "export const a = 3\n"])).toBeUndefined()
  })

  it("knows the gathering files of Python and Rust", () => {
    const python = 'from .a import a\n\n__all__ = [\n    "a",\n]\n'
    const withName = (name: string) =>
      python
        .replace("import a\n", `import a\nfrom .${name} import ${name}\n`)
        .replace('"a",\n', `"a",\n    "${name}",\n`)
    const merged = String(merge("shop/__init__.py", [python, withName("b"), withName("c")]))
    for (const line of ["from .b import b", "from .c import c", '    "b",', '    "c",'])
      expect(merged.split("\n")).toContain(line)
    expect(merge("src/lib.rs", ["pub mod a;\n", "pub mod a;\nmod b;\n", "pub mod a;\npub use c::D;\n"])).toBe(
      "pub mod a;\nmod b;\npub use c::D;\n",
    )
  })

  it("merges requirements by name, and takes the higher of two versions that fit", () => {
    const base = "flask==2.0.0\nrequests>=2.1\n"
    expect(merge("requirements.txt", [base, `${base}numpy\n`, `${base}pandas>=2  # tables\n`])).toBe(
      `${base}numpy\npandas>=2  # tables\n`,
    )
    const version = (one: string) => base.replace("2.0.0", one)
    expect(merge("requirements-dev.txt", [base, version("2.1.0"), version("2.3.0")])).toBe(version("2.3.0"))
    expect(merge("requirements-dev.txt", [base, version("2.3.0"), version("2.1.0")])).toBe(version("2.3.0"))
    expect(merge("requirements.txt", [base, version("2.1.0"), version("3.0.0")])).toEqual(["flask"])
  })

  it("merges go.mod, Gemfile, ignored files and settings of the environment", () => {
    const go = (lines: string) => `module shop\n\ngo 1.22\n\nrequire (\n\texample.com/a v1.0.0\n${lines})\n`
    expect(merge("go.mod", [go(""), go("\texample.com/b v1.2.0\n"), go("\texample.com/c v0.1.0 // indirect\n")])).toBe(
      go("\texample.com/b v1.2.0\n\texample.com/c v0.1.0 // indirect\n"),
    )
    const gems = 'source "https://rubygems.org"\n\ngem "rails", "~> 7.1"\n'
    expect(merge("Gemfile", [gems, `${gems}gem "puma"\n`, `${gems}gem "pg", "~> 1.5"\n`])).toBe(
      `${gems}gem "puma"\ngem "pg", "~> 1.5"\n`,
    )
    expect(merge(".gitignore", ["dist\n", "dist\nlogs\n", "dist\ntmp\n"])).toBe("dist\nlogs\ntmp\n")
    expect(merge(".env.example", ["A=1\n", "A=2\n", "A=3\n"])).toEqual(["A"])
  })

  it("keeps both entries of a change log, and leaves changed lines to people", () => {
    const log = "# Changes\n\n## Next\n\n- old\n"
    const withEntry = (text: string) => log.replace("- old", `- ${text}\n- old`)
    expect(merge("CHANGELOG.md", [log, withEntry("one"), withEntry("two")])).toBe(
      "# Changes\n\n## Next\n\n- two\n- one\n- old\n",
    )
    const heading = (name: string) => `# Next\n\n* ${name}\n\n`
    expect(merge("History.md", ["# 1.0\n", `${heading("a")}# 1.0\n`, `${heading("b")}# 1.0\n`])).toBe(
      "# Next\n\n* b\n\n* a\n\n# 1.0\n",
    )
    expect(merge("CHANGELOG.md", [log, log.replace("old", "a"), log.replace("old", "b")])).toBeUndefined()
  })

  it("loses no line that one side added, and gives the same lines in either order", () => {
    const lines = fc.uniqueArray(fc.constantFrom(..."abcdefghijkl"), { maxLength: 12 }).map((names) => names.sort())
    const text = (names: readonly string[]) => names.map((name) => `export * from "./${name}"\n`).join("")
    fc.assert(
      fc.property(lines, lines, lines, (base, one, other) => {
        const merged = String(merge("index.ts", [text(base), text(one), text(other)]))
        const back = String(merge("index.ts", [text(base), text(other), text(one)]))
        for (const name of "abcdefghijkl") {
          const [was, a, b] = [base, one, other].map((names) => names.includes(name))
          const wanted = a === was ? b : a
          expect([merged, back].map((each) => each.includes(`./${name}"`))).toEqual([wanted === true, wanted === true])
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe("TOML", () => {
  const cargo =
    '[package]\nname = "shop" # ours\nversion = "0.1.0"\n\n# what it needs\n[dependencies]\nanyhow = "1"\nserde = { version = "1.0", features = ["derive"] }\n'

  it("keeps what several added, with remarks and order", () => {
    const one = cargo.replace("serde =", 'log = "0.4"\nserde =')
    const two = `${cargo.replace("serde =", 'rand = "0.8"\nserde =')}\n[dev-dependencies]\ntempfile = "3"\n`
    expect(merge("Cargo.toml", [cargo, one, two])).toBe(
      `${cargo.replace("serde =", 'log = "0.4"\nrand = "0.8"\nserde =')}\n[dev-dependencies]\ntempfile = "3"\n`,
    )
  })

  it("takes the higher version, and asks about what it cannot tell", () => {
    const of = (version: string) => cargo.replace('anyhow = "1"', `anyhow = "${version}"`)
    expect(merge("Cargo.toml", [cargo, of("1.2"), of("1.10")])).toBe(of("1.10"))
    expect(merge("Cargo.toml", [cargo, of("1.2"), of("2.0")])).toEqual(["dependencies.anyhow"])
    expect(merge("Cargo.toml", [cargo, of("1.2"), of("2.0")], () => "theirs")).toBe(of("2.0"))
    const features = (list: string) => cargo.replace('["derive"]', list)
    expect(merge("Cargo.toml", [cargo, features('["rc"]'), features('["std"]')])).toEqual(["dependencies.serde"])
  })

  it("merges lists of texts as sets, in the form they have", () => {
    const project = (list: string) => `[project]\nname = "shop"\ndependencies = ${list} # runtime\n`
    const long = (...items: string[]) => `[\n    ${items.map((item) => `"${item}",`).join("\n    ")}\n]`
    expect(
      merge("pyproject.toml", [project(long("a>=1")), project(long("a>=1", "b")), project(long("a>=1", "c"))]),
    ).toBe(project(long("a>=1", "b", "c")))
    expect(merge("pyproject.toml", [project("[]"), project('["a"]'), project('["b"]')])).toBe(project('["a", "b"]'))
    expect(merge("pyproject.toml", [project("[]"), project('["a>=1"]'), project('["a>=2"]')])).toEqual([
      "project.dependencies",
    ])
  })

  it("keeps items of a list of tables", () => {
    const one = `${cargo}\n[[bin]]\nname = "a"\n`
    const two = `${cargo}\n[[bin]]\nname = "b"\n`
    const merged = String(merge("Cargo.toml", [cargo, one, two]))
    expect((Bun.TOML.parse(merged) as { bin: unknown }).bin).toEqual([{ name: "b" }, { name: "a" }])
  })

  it("never makes a text that is no TOML, and keeps what one side added", () => {
    const table = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.constantFrom('"1"', "2", '["x"]', "{ y = 1 }"))
    const text = (tables: Record<string, Record<string, string>>) =>
      Object.entries(tables)
        .map(
          ([name, entries]) =>
            `[${name}]\n${Object.entries(entries)
              .map(([key, value]) => `${key} = ${value}\n`)
              .join("")}`,
        )
        .join("\n")
    const tables = fc.dictionary(fc.constantFrom("one", "two.x", "three"), table)
    fc.assert(
      fc.property(tables, tables, tables, (base, ours, theirs) => {
        const merged = merge("Cargo.toml", [text(base), text(ours), text(theirs)], () => "theirs")
        expect(merged).toBeString()
        for (const [name, entries] of Object.entries(theirs))
          for (const [key, value] of Object.entries(entries))
            if (base[name]?.[key] === undefined && ours[name]?.[key] === undefined)
              expect(String(merged)).toContain(`${key} = ${value}`)
      }),
      { numRuns: 300 },
    )
  })
})

describe("YAML", () => {
  it("keeps packages that several added, and remarks", () => {
    const base = "# all of them\npackages:\n  - apps/*\n"
    expect(merge("pnpm-workspace.yaml", [base, `${base}  - libs/*\n`, `${base}  - tools/*\n`])).toBe(
      `${base}  - libs/*\n  - tools/*\n`,
    )
    const catalog = (version: string) => `packages:\n  - a\ncatalog:\n  react: ${version}\n`
    expect(merge("pnpm-workspace.yaml", [catalog("^18.0.0"), catalog("^18.2.0"), catalog("^19.0.0")])).toEqual([
      "catalog.react",
    ])
  })
})
