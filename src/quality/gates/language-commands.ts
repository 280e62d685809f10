import * as v from "valibot"
import type { Detected, FolderFiles } from "./detect-commands.ts"
import type { FoundCommand, NeededProgram } from "./gate-command.ts"
import { isEndless } from "./node-commands.ts"

// Languages that need only a few lines.

function needed(...names: string[]): NeededProgram[] {
  return names.map((name) => ({ name, folders: [] }))
}

export async function detectCargo(files: FolderFiles): Promise<Detected> {
  const from = "Cargo.toml"
  if (!files.has(from)) return {}
  return {
    build: [{ command: ["cargo", "build"], from }],
    // Without the flag, cargo skips targets after the first failure, and their failures would look new later.
    test: [{ command: ["cargo", "test", "--no-fail-fast"], from }],
    lint: [{ command: ["cargo", "clippy"], from, needs: needed("cargo", "cargo-clippy") }],
  }
}

export async function detectGo(files: FolderFiles): Promise<Detected> {
  const from = "go.mod"
  if (!files.has(from)) return {}
  return {
    build: [{ command: ["go", "build", "./..."], from }],
    test: [{ command: ["go", "test", "./..."], from }],
    lint: [{ command: ["go", "vet", "./..."], from }],
  }
}

/** A wrapper has the right version. `sh` runs it: its executable bit is often lost. */
export async function detectJava(files: FolderFiles): Promise<Detected> {
  const tool = (name: string, wrapper: string) =>
    files.has(wrapper)
      ? { words: ["sh", `./${wrapper}`], facts: { needs: needed("java") } }
      : { words: [name], facts: {} }
  if (files.has("pom.xml")) {
    const { words, facts } = tool("mvn", "mvnw")
    const maven = [...words, "--batch-mode"]
    return {
      build: [{ command: [...maven, "-DskipTests", "package"], from: "pom.xml", ...facts }],
      test: [{ command: [...maven, "test"], from: "pom.xml", ...facts }],
    }
  }
  const from = files.find(/^build\.gradle(\.kts)?$/)
  if (from === undefined) return {}
  const { words, facts } = tool("gradle", "gradlew")
  return {
    build: [{ command: [...words, "assemble"], from, ...facts }],
    test: [{ command: [...words, "test"], from, ...facts }],
  }
}

/** A solution contains its projects. The line names the file because a folder may have several. */
export async function detectDotnet(files: FolderFiles): Promise<Detected> {
  const from = files.find(/\.slnx?$/) ?? files.find(/\.(?:cs|fs|vb)proj$/)
  if (from === undefined) return {}
  return {
    build: [{ command: ["dotnet", "build", from], from }],
    test: [{ command: ["dotnet", "test", from], from }],
  }
}

export async function detectDeno(files: FolderFiles): Promise<Detected> {
  const from = ["deno.json", "deno.jsonc"].find((name) => files.has(name))
  if (from === undefined) return {}
  const settings = await files.read(from)
  const task = (name: string): FoundCommand[] => {
    // The settings may have comments, so this searches the text. A task may also be an object.
    const [, script] =
      new RegExp(`"${name}"\\s*:\\s*(?:\\{[^}]*?"command"\\s*:\\s*)?"((?:[^"\\\\]|\\\\.)*)"`).exec(settings) ?? []
    const isTask = script !== undefined && /"tasks"\s*:/.test(settings) && !isEndless(script)
    return isTask ? [{ command: ["deno", "task", name], from, script }] : []
  }
  let [test, lint] = [task("test"), task("lint")]
  const hasTests = test.length === 0 && (await files.search(/(?:^|[._])test\.[cm]?[jt]sx?$/)).length > 0
  // With a package.json, its scripts run the tests.
  if (hasTests && !files.has("package.json")) test = [{ command: ["deno", "test"], from }]
  if (lint.length === 0 && /"lint"\s*:\s*\{/.test(settings)) lint = [{ command: ["deno", "lint"], from }]
  return { build: task("build"), test, lint }
}

export async function detectRuby(files: FolderFiles): Promise<Detected> {
  const [gems, rake] = [await files.read("Gemfile"), await files.read("Rakefile")]
  const command = (from: string, ...words: string[]): FoundCommand => {
    return { command: gems === "" ? words : ["bundle", "exec", ...words], from }
  }
  const lint = files.has(".rubocop.yml") ? [command(".rubocop.yml", "rubocop")] : []
  const hasRspec = files.has(".rspec")
  if (hasRspec || (files.has("spec/") && /\brspec\b/.test(gems)))
    return { test: [command(hasRspec ? ".rspec" : "Gemfile", "rspec")], lint }
  if (files.has("bin/") && files.has("test/") && /^\s*gem\s+["']rails["']/m.test(gems))
    return { test: [command("Gemfile", "rails", "test")], lint }
  if (/Rake::TestTask\.new(?!\s*\(?\s*["':](?!test\b))|^\s*task\s*\(?\s*(?::test\b|test:|["']test["'])/m.test(rake))
    return { test: [{ ...command("Rakefile", "rake", "test"), script: rake }], lint }
  const hasDefault = /^\s*task\s*\(?\s*(?::default\b|default:)/m.test(rake)
  return { test: hasDefault ? [{ ...command("Rakefile", "rake"), script: rake }] : [], lint }
}

const Composer = v.fallback(
  v.pipe(v.string(), v.parseJson(), v.object({ scripts: v.fallback(v.record(v.string(), v.unknown()), {}) })),
  { scripts: {} },
)

export async function detectPhp(files: FolderFiles): Promise<Detected> {
  const { scripts } = v.parse(Composer, await files.read("composer.json"))
  const script = (name: string): FoundCommand[] => {
    const text = scripts[name]
    if (text === undefined) return []
    return [{ command: ["composer", "run-script", name], from: "composer.json", script: JSON.stringify(text) }]
  }
  const settings = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"].find((name) => files.has(name))
  const [test, lint] = [script("test"), script("lint")]
  const phpunit = "vendor/bin/phpunit"
  const own = { command: [phpunit], from: settings ?? "", needs: needed("php", phpunit) }
  return { test: test.length > 0 || settings === undefined ? test : [own], lint }
}
