import type { Detected, FolderFiles } from "./detect-commands.ts"
import { type FoundCommand, type NeededProgram, PYTHON_PROGRAMS } from "./gate-command.ts"

const TEXTS = [
  "pyproject.toml",
  "setup.cfg",
  "tox.ini",
  "setup.py",
  "Pipfile",
  "noxfile.py",
  "requirements.txt",
  "requirements-dev.txt",
  "dev-requirements.txt",
  "requirements-test.txt",
  "test-requirements.txt",
]

/** Run programs in the environment of the checkout; by lock file. */
const RUNNERS: readonly (readonly [string, readonly string[]])[] = [
  ["uv.lock", ["uv", "run"]],
  ["poetry.lock", ["poetry", "run"]],
  ["pdm.lock", ["pdm", "run"]],
  ["Pipfile.lock", ["pipenv", "run"]],
]

interface Project {
  readonly files: FolderFiles
  readonly texts: ReadonlyMap<string, string>
  names(tool: string): string | undefined
  /** The file with settings, such as `[tool.ruff]`. */
  section(pattern: RegExp): string | undefined
  command(from: string, ...words: string[]): FoundCommand
}

export async function detectPython(files: FolderFiles): Promise<Detected> {
  const project = await openProject(files)
  return { build: detectTypes(project), lint: detectLint(project), test: await detectTests(project) }
}

async function openProject(files: FolderFiles): Promise<Project> {
  const texts = new Map<string, string>()
  for (const name of TEXTS) if (files.has(name)) texts.set(name, withoutComments(await files.read(name)))
  const through = RUNNERS.find(([name]) => files.has(name))?.[1] ?? []
  const find = (pattern: RegExp) => [...texts].find(([, text]) => pattern.test(text))?.[0]
  return {
    files,
    texts,
    // Not `flake8-pytest-style`, but `pytest-cov`, which needs pytest.
    names: (tool) => find(new RegExp(`(?<![\\w-])${tool}(?![\\w])`)),
    section: find,
    command(from, ...words) {
      const [first = ""] = words
      const own: NeededProgram = { name: first, folders: PYTHON_PROGRAMS }
      const needs = through.length === 0 ? [own] : [{ name: through[0] ?? "", folders: [] }]
      return { command: [...through, ...words], from, needs }
    },
  }
}

function withoutComments(text: string): string {
  return text.replaceAll(/^\s*#.*$/gm, "")
}

/** The first runner that the project names, else unittest, which comes with Python. */
async function detectTests(project: Project): Promise<readonly FoundCommand[]> {
  const { files, names, section, command } = project
  const pytest = ["pytest.ini", "conftest.py"].find((name) => files.has(name)) ?? names("pytest")
  if (pytest !== undefined) return [command(pytest, "pytest")]
  const session = /def (tests?)\(/.exec(project.texts.get("noxfile.py") ?? "")?.[1]
  if (session !== undefined) return [command("noxfile.py", "nox", "-s", session)]
  const tox = section(/^\[(?:tox|tool\.tox)\b/m)
  if (tox !== undefined) return [command(tox, "tox")]
  if (files.has("manage.py")) return [command("manage.py", ...python(files), "manage.py", "test")]
  return detectUnittest(project)
}

/** With a runner, `python` is the one of its environment. */
function python(files: FolderFiles): string[] {
  return [RUNNERS.some(([name]) => files.has(name)) ? "python" : "python3"]
}

const TEST_FOLDER = /^tests?\/$/i
const MAX_READ = 100

async function detectUnittest({ files, texts, command }: Project): Promise<readonly FoundCommand[]> {
  const isPython = texts.size > 0 || files.find(/\.py$/) !== undefined
  const paths = await files.search(/^(?:test.*|__init__)\.py$/, isPython ? /^(?!docs?\/|examples?\/)/ : TEST_FOLDER)
  const tests: string[] = []
  for (const path of paths.filter((each) => !each.endsWith("__init__.py")).slice(0, MAX_READ))
    if (/^\s*(?:import|from)\s+unittest\b/m.test(await files.read(path))) tests.push(path)
  // Discovery from the top only enters packages; other test folders must be named.
  const isLoose = (folder: string) => TEST_FOLDER.test(folder) && !paths.includes(`${folder}__init__.py`)
  const folderOf = (path: string) => path.slice(0, path.indexOf("/") + 1)
  const loose = [...new Set(tests.map(folderOf))].filter(isLoose)
  const words = [...python(files), "-m", "unittest"]
  const rest = tests.find((path) => !loose.includes(folderOf(path)))
  return [
    ...(rest === undefined ? [] : [command(rest, ...words)]),
    ...loose.map((folder) => {
      const from = tests.find((path) => path.startsWith(folder)) ?? folder
      return command(from, ...words, "discover", "-s", folder.slice(0, -1))
    }),
  ]
}

function detectLint({ files, names, section, command }: Project): readonly FoundCommand[] {
  const ruff =
    ["ruff.toml", ".ruff.toml"].find((name) => files.has(name)) ?? section(/^\[tool\.ruff\b/m) ?? names("ruff")
  if (ruff !== undefined) return [command(ruff, "ruff", "check", ".")]
  const flake8 = files.has(".flake8") ? ".flake8" : section(/^\[flake8\]/m)
  return flake8 === undefined ? [] : [command(flake8, "flake8")]
}

/** Type checks are part of the build, as with TypeScript. */
function detectTypes({ files, section, texts, command }: Project): readonly FoundCommand[] {
  const mypy = ["mypy.ini", ".mypy.ini"].find((name) => files.has(name)) ?? section(/^\[(?:tool\.)?mypy\]/m)
  if (mypy !== undefined) {
    const hasFiles = /^\s*(?:files|packages|modules)\s*=/m.test(texts.get(mypy) ?? "")
    return [command(mypy, "mypy", ...(hasFiles ? [] : ["."]))]
  }
  const pyright = files.has("pyrightconfig.json") ? "pyrightconfig.json" : section(/^\[tool\.pyright\]/m)
  return pyright === undefined ? [] : [command(pyright, "pyright")]
}
