import { describe, expect, it, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeScratch } from "../../../test/support/sandbox.ts"
import { surround } from "./surround.ts"

test("programs in a checkout find its own Python and ports, and nothing of the user's checkout", () => {
  using scratch = makeScratch()
  const [user, folder] = [join(scratch.path, "user"), join(scratch.path, "w1")]
  const env = {
    PATH: `${user}/.venv/bin:/usr/bin:${user}/node_modules/.bin`,
    VIRTUAL_ENV: `${user}/.venv`,
    PYTHONPATH: `${user}/src:/opt/lib`,
    KEPT: "x",
  }
  const place = { folder, userRoots: [user], ports: { first: 21_000, last: 21_019 } }
  const ports = { TEAMWORK_PORT: "21000", TEAMWORK_PORT_END: "21019" }
  const bare = { PATH: "/usr/bin", PYTHONPATH: `${folder}/src:/opt/lib`, KEPT: "x", ...ports }
  expect(surround<Record<string, string>>(env, place)).toEqual(bare)
  mkdirSync(`${folder}/.venv/bin`, { recursive: true })
  writeFileSync(`${folder}/.venv/bin/python`, "")
  expect(surround<Record<string, string>>(env, place)).toEqual({
    ...bare,
    PATH: `${folder}/.venv/bin:/usr/bin`,
    VIRTUAL_ENV: `${folder}/.venv`,
  })
  mkdirSync(`${folder}/api/venv/bin`, { recursive: true })
  writeFileSync(`${folder}/api/venv/bin/python`, "")
  expect(surround<Record<string, string>>(env, { ...place, inside: `${folder}/api` }).VIRTUAL_ENV).toBe(
    `${folder}/api/venv`,
  )
  // In the user's own checkout everything stays.
  expect(surround<Record<string, string>>(env, { folder: user, userRoots: [user], ports: undefined })).toEqual(env)
})

describe("a Python environment outside of the repository, with an editable install of the user's checkout", () => {
  const written: [string, (user: string) => Record<string, string>][] = [
    ["as a folder in a .pth file", (user) => ({ "__editable__.shop-1.0.pth": `${user}/src\n` })],
    [
      "as a finder",
      (user) => ({
        "__editable__.shop-1.0.pth": "import __editable___shop_1_0_finder; __editable___shop_1_0_finder.install()",
        "__editable___shop_1_0_finder.py": finder({ shop: `${user}/src/shop` }),
      }),
    ],
    [
      "as a link of setup.py develop",
      (user) => ({ "shop.egg-link": `${user}/src\n../`, "easy-install.pth": `${user}/src\n` }),
    ],
    [
      "as pip notes it beside a hook of another tool",
      (user) => ({
        "hook.pth": `import sys; sys.path.append("${user}/" + "src")\n`,
        "shop-1.0.dist-info/direct_url.json": JSON.stringify({ url: `file://${user}`, dir_info: { editable: true } }),
      }),
    ],
  ]

  it.each(written)("imports from the checkout in hand, when written %s", (_, files) => {
    using scratch = makeScratch()
    const [user, folder, venv] = ["user", "w1", "venv"].map((name) => join(scratch.path, name)) as [
      string,
      string,
      string,
    ]
    for (const root of [user, folder]) {
      mkdirSync(join(root, "src/shop"), { recursive: true })
      writeFileSync(join(root, "src/shop/__init__.py"), "")
    }
    expect(spawnSync("python3", ["-m", "venv", "--without-pip", venv]).status).toBe(0)
    const version = readdirSync(join(venv, "lib")).find((name) => name.startsWith("python3")) ?? ""
    for (const [name, text] of Object.entries(files(user))) {
      const path = join(venv, "lib", version, "site-packages", name)
      mkdirSync(join(path, ".."), { recursive: true })
      writeFileSync(path, text)
    }
    const imported = (env: Record<string, string>) =>
      String(
        spawnSync("python3", ["-c", "import shop; print(shop.__file__)"], { env, cwd: scratch.path }).stdout,
      ).trim()
    const bare = { PATH: `${venv}/bin:/usr/bin:/bin`, HOME: scratch.path }
    const place = { folder, userRoots: [user], ports: undefined }
    expect(imported(bare)).toBe(join(user, "src/shop/__init__.py"))
    expect(imported(surround<Record<string, string>>(bare, place))).toBe(join(folder, "src/shop/__init__.py"))
    const active = { ...bare, VIRTUAL_ENV: venv, PYTHONPATH: "/opt/lib" }
    expect(surround<Record<string, string>>(active, place).PYTHONPATH).toBe(`${folder}/src:/opt/lib`)
    // In the user's own checkout nothing changes.
    expect(surround<Record<string, string>>(bare, { ...place, folder: user })).toEqual(bare)
  })
})

/** What setuptools writes, as far as Python needs it. */
function finder(mapping: Record<string, string>): string {
  return [
    "import sys",
    "from importlib.util import spec_from_file_location",
    `MAPPING: dict[str, str] = ${JSON.stringify(mapping)}`,
    "NAMESPACES: dict[str, list[str]] = {}",
    "class Finder:",
    "    @classmethod",
    "    def find_spec(cls, name, path=None, target=None):",
    "        if name in MAPPING:",
    '            return spec_from_file_location(name, MAPPING[name] + "/__init__.py")',
    "def install():",
    "    sys.meta_path.append(Finder)",
    "",
  ].join("\n")
}
