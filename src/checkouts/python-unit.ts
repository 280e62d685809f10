import type { FolderView, SetupUnit, Way } from "./setup-unit.ts"

const DEVELOPMENT = /^(?:(?:dev|test|tests)[-_]?requirements|requirements[-_.](?:dev|test|tests|testing|ci))\.txt$/
const MANIFESTS = ["pyproject.toml", "setup.py", "setup.cfg"]

/** The checkout needs its own virtual environment: the user's would import the user's files. */
export async function planPython(view: FolderView): Promise<SetupUnit | undefined> {
  const place = !view.userHas(".venv/pyvenv.cfg") && view.userHas("venv/pyvenv.cfg") ? "venv" : ".venv"
  const manifests = MANIFESTS.filter((name) => view.has(name))
  const common = { folder: view.folder, runtime: "python3", isLocked: true, ownScripts: [] } as const
  if (view.has("uv.lock")) {
    const sync = ["uv", "sync", "--frozen"]
    return {
      ...common,
      ecosystem: "uv",
      basis: "uv.lock",
      inputs: ["uv.lock", ...manifests],
      tool: "uv",
      // Through links into uv's cache an agent could write into other projects.
      env: { UV_LINK_MODE: "copy", UV_PROJECT_ENVIRONMENT: place, UV_NO_PROGRESS: "1" },
      ways: [[[...sync, "--offline"]], [sync]],
      places: [place],
    }
  }
  if (view.has("poetry.lock"))
    return {
      ...common,
      ecosystem: "poetry",
      basis: "poetry.lock",
      inputs: ["poetry.lock", ...manifests],
      tool: "poetry",
      env: { POETRY_VIRTUALENVS_CREATE: "true", POETRY_VIRTUALENVS_IN_PROJECT: "true" },
      ways: [[["poetry", "install", "--no-interaction"]]],
      places: [".venv"],
    }
  const requirements = view.names.filter((name) => name === "requirements.txt" || DEVELOPMENT.test(name)).sort()
  const inputs = [...requirements, ...manifests]
  const [basis] = inputs
  // Without requirements, only an environment in the user's checkout shows that the project needs one.
  if (basis === undefined || (requirements.length === 0 && !view.userHas(`${place}/pyvenv.cfg`))) return undefined
  return {
    ...common,
    ecosystem: "pip",
    basis,
    isLocked: requirements.length > 0,
    inputs,
    tool: "python3",
    env: {},
    ways: [await pipCommands(view, place, requirements)],
    places: [place],
  }
}

async function pipCommands(view: FolderView, place: string, requirements: readonly string[]): Promise<Way> {
  const isPackage = view.has("setup.py") || /^\[(?:build-system|project)\]/m.test(await view.read("pyproject.toml"))
  const python = `${place}/bin/python`
  const pip = [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--retries", "1"]
  return [
    ["python3", "-m", "venv", place],
    ...(requirements.length === 0 ? [] : [[...pip, ...requirements.flatMap((name) => ["-r", name])]]),
    ...(isPackage ? [[...pip, "--editable", "."]] : []),
  ]
}
