import type { FolderView, SetupUnit, Way } from "./setup-unit.ts"

const DEVELOPMENT = /^(?:(?:dev|test|tests)[-_]?requirements|requirements[-_.](?:dev|test|tests|testing|ci))\.txt$/
const MANIFESTS = ["pyproject.toml", "setup.py", "setup.cfg"]

/** An environment of the project's own in `.venv`: never that of the user's checkout, which would import its files. */
export async function planPython(view: FolderView): Promise<SetupUnit | undefined> {
  const place = !view.userHas(".venv/pyvenv.cfg") && view.userHas("venv/pyvenv.cfg") ? "venv" : ".venv"
  const common = { folder: view.folder, runtime: "python3", places: [place], ownScripts: [] } as const
  const manifests = MANIFESTS.filter((name) => view.has(name))
  if (view.has("uv.lock")) {
    // Links into the cache of uv would let an agent write into what other projects use.
    const env = { UV_LINK_MODE: "copy", UV_PROJECT_ENVIRONMENT: place, UV_NO_PROGRESS: "1" }
    const sync = ["uv", "sync", "--frozen"]
    return {
      ...{ ...common, ecosystem: "uv", basis: "uv.lock", isLocked: true, inputs: ["uv.lock", ...manifests] },
      ...{ tool: "uv", env, ways: [[[...sync, "--offline"]], [sync]] },
    }
  }
  if (view.has("poetry.lock")) {
    const env = { POETRY_VIRTUALENVS_CREATE: "true", POETRY_VIRTUALENVS_IN_PROJECT: "true" }
    return {
      ...{
        ...common,
        ecosystem: "poetry",
        basis: "poetry.lock",
        isLocked: true,
        inputs: ["poetry.lock", ...manifests],
      },
      ...{ places: [".venv"], tool: "poetry", env, ways: [[["poetry", "install", "--no-interaction"]]] },
    }
  }
  return planPip(view, { ...common, place, manifests })
}

interface PipFacts {
  readonly folder: string
  readonly runtime: string
  readonly places: readonly string[]
  readonly ownScripts: readonly []
  readonly place: string
  readonly manifests: readonly string[]
}

/** With requirements, or where the user's checkout has an environment although nothing says what belongs into it. */
async function planPip(view: FolderView, { place, manifests, ...common }: PipFacts): Promise<SetupUnit | undefined> {
  const requirements = view.names.filter((name) => name === "requirements.txt" || DEVELOPMENT.test(name)).sort()
  const hasEnvironment = view.userHas(`${place}/pyvenv.cfg`)
  if (requirements.length === 0 && !(manifests.length > 0 && hasEnvironment)) return undefined
  const isPackage = view.has("setup.py") || /^\[(?:build-system|project)\]/m.test(await view.read("pyproject.toml"))
  const python = `${place}/bin/python`
  const pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--retries", "1"]
  const way: Way = [
    ["python3", "-m", "venv", place],
    ...(requirements.length === 0 ? [] : [[...pip, ...requirements.flatMap((name) => ["-r", name])]]),
    ...(isPackage ? [[...pip, "--editable", "."]] : []),
  ]
  const basis = requirements[0] ?? manifests[0] ?? "requirements.txt"
  return {
    ...{ ...common, ecosystem: "pip", basis, isLocked: requirements.length > 0 },
    ...{ inputs: [...requirements, ...manifests], tool: "python3", env: {}, ways: [way] },
  }
}
