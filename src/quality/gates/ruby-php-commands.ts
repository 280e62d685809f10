import type { Detected, FolderFiles } from "./detect-commands.ts"
import type { FoundCommand } from "./gate-command.ts"

export async function detectRuby(files: FolderFiles): Promise<Detected> {
  const [gems, rake] = [await files.read("Gemfile"), await files.read("Rakefile")]
  const through = gems === "" ? [] : ["bundle", "exec"]
  const command = (from: string, ...words: string[]): FoundCommand => ({ command: [...through, ...words], from })
  const lint = files.has(".rubocop.yml") ? [command(".rubocop.yml", "rubocop")] : []
  return { test: rubyTests(files, { gems, rake, command }), lint }
}

function rubyTests(
  files: FolderFiles,
  { gems, rake, command }: { gems: string; rake: string; command: (from: string, ...words: string[]) => FoundCommand },
): FoundCommand[] {
  const usesRspec = files.has(".rspec") || (files.has("spec/") && /\brspec\b/.test(gems))
  if (usesRspec) return [command(files.has(".rspec") ? ".rspec" : "Gemfile", "rspec")]
  if (files.has("bin/") && files.has("test/") && /^\s*gem\s+["']rails["']/m.test(gems))
    return [command("Gemfile", "rails", "test")]
  if (/Rake::TestTask\.new(?!\s*\(?\s*["':](?!test\b))|^\s*task\s*\(?\s*(?::test\b|test:|["']test["'])/m.test(rake))
    return [{ ...command("Rakefile", "rake", "test"), script: rake }]
  const hasDefault = /^\s*task\s*\(?\s*(?::default\b|default:)/m.test(rake)
  return hasDefault ? [{ ...command("Rakefile", "rake"), script: rake }] : []
}

export async function detectPhp(files: FolderFiles): Promise<Detected> {
  const scripts = readScripts(await files.read("composer.json"))
  const script = (name: string): FoundCommand[] => {
    const text = scripts[name]
    return text === undefined
      ? []
      : [{ command: ["composer", "run-script", name], from: "composer.json", script: JSON.stringify(text) }]
  }
  const settings = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"].find((name) => files.has(name))
  const [test, lint] = [script("test"), script("lint")]
  const own = { command: ["vendor/bin/phpunit"], from: settings ?? "", needs: ["php", "vendor/bin/phpunit"].map(named) }
  return { test: test.length > 0 || settings === undefined ? test : [own], lint }
}

function named(name: string) {
  return { name, folders: [] }
}

function readScripts(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    const scripts = typeof json === "object" && json !== null && "scripts" in json ? json.scripts : undefined
    return typeof scripts === "object" && scripts !== null ? { ...scripts } : {}
  } catch {
    return {}
  }
}
