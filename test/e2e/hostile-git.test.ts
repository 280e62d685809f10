// An agent that does all it can with git in its workspace: nothing outside changes, and nothing it set runs in our git.
import { expect, it, setDefaultTimeout } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { snapshotFolder } from "../support/repository.ts"
import { makeRepository, writePlan } from "../support/team-runs.ts"
import { type Bench, type Data, git, makeBench, TEST_TIMEOUT_MS } from "./bench.ts"

setDefaultTimeout(6 * TEST_TIMEOUT_MS)

/** Each begins in its workspace, `TRAP` is a program that tells when somebody else than the agent starts it. */
const ATTACKS: Readonly<Record<string, string>> = {
  stash:
    "echo mine > mine; git add mine; git stash -q; git stash pop -q; git stash list | grep -q . && exit 9; git stash pop || true; rm -f mine",
  config: `for key in core.fsmonitor core.editor core.pager core.sshCommand core.askPass gpg.program sequence.editor diff.external credential.helper; do git config $key "$TRAP"; done
    git config user.email evil@example.com; git config commit.gpgSign true; git config core.fsmonitor "$TRAP"`,
  hooks: `hooks=$(git rev-parse --git-path hooks); mkdir -p "$hooks" own
    for name in pre-commit commit-msg post-commit post-checkout post-merge reference-transaction post-index-change pre-auto-gc post-rewrite pre-push update; do cp "$TRAP" "$hooks/$name"; cp "$TRAP" "own/$name"; done
    git config core.hooksPath "$PWD/own"; rm -rf own`,
  filters: `git config filter.evil.clean "$TRAP"; git config filter.evil.smudge "$TRAP"; git config filter.evil.process "$TRAP"; git config filter.evil.required true
    echo '* filter=evil' >> "$(git rev-parse --git-path info/attributes)"; echo '* filter=evil' > .gitattributes; echo changed >> shared.txt`,
  attributes: `git config diff.evil.textconv "$TRAP"; git config diff.evil.command "$TRAP"; git config merge.evil.driver "$TRAP %A %O %B"
    printf '* diff=evil merge=evil\\n' >> "$(git rev-parse --git-path info/attributes)"; printf '* diff=evil merge=evil\\n' > .gitattributes`,
  fsmonitor: `git config core.fsmonitor "$TRAP"; git config core.untrackedCache true; git update-index --fsmonitor --untracked-cache; git status >/dev/null`,
  includes: `printf '[core]\\n\\tfsmonitor = %s\\n\\thooksPath = /nowhere\\n' "$TRAP" > evil.inc; git config include.path "$PWD/evil.inc"`,
  alternates: `rm -rf ../.evil; git init -q --bare "$OUT/other.git"; echo "$OUT/other.git/objects" >> "$(git rev-parse --git-path objects/info/alternates)"`,
  objects: `echo x > x; git add x; find "$(git rev-parse --git-path objects)" -type f -name '??????????????????????????????????????' | while read -r f; do chmod u+w "$f"; echo broken > "$f"; done; rm -f x`,
  refs: `git update-ref refs/heads/main HEAD; git branch -f teamwork/shop/main/integration HEAD; git update-ref -d refs/heads/main; git tag evil; git update-ref refs/teamwork/shop/main/1/1/head HEAD`,
  symbolic: `git symbolic-ref refs/heads/evil refs/heads/main; git symbolic-ref refs/teamwork/shop/main/integration/target refs/heads/main; git update-ref -d refs/teamwork/shop/main/integration/target; git symbolic-ref HEAD refs/heads/evil; git symbolic-ref HEAD refs/heads/nowhere`,
  linked: `dir=$(git rev-parse --absolute-git-dir); rm -rf "$dir/refs/heads"; ln -s "$USER_GIT/refs/heads" "$dir/refs/heads"; rm -f "$dir/index"; ln -s "$USER_GIT/index" "$dir/index"`,
  push: `git push origin HEAD:main || true; git push --all || true; git push -f origin +HEAD:refs/heads/evil || true; git fetch origin || true; git remote get-url origin && exit 9 || true`,
  worktree: `git worktree add -q "$OUT/escape" || true; git worktree list; git worktree prune`,
  gc: `git commit -q --allow-empty -m one; git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git repack -adq; git gc -q --prune=now; git prune --expire=now`,
  nested: `git init -q inner; echo inner > inner/f; git -C inner add f; git -C inner commit -q -m inner; git -C inner config core.fsmonitor "$TRAP"; git -C inner config filter.evil.clean "$TRAP"
    echo '* filter=evil' > inner/.gitattributes; git add inner; git commit -q -m 'A gitlink'; echo more > inner/f`,
  unborn: `git init -q empty; git -C empty config core.fsmonitor "$TRAP"; echo x > empty/x`,
  submodule: `git init -q "$OUT/module"; git -C "$OUT/module" commit -q --allow-empty -m module; git -c protocol.file.allow=always submodule --quiet add "$OUT/module" module
    git -C module config core.fsmonitor "$TRAP"; git commit -q -m 'A submodule'; echo x > module/x`,
  replaced: `mv .git .git.old; git init -q .; git config core.fsmonitor "$TRAP"; git config filter.evil.clean "$TRAP"; echo '* filter=evil' > .gitattributes; cp "$TRAP" .git/hooks/post-index-change; git add -A || true; git commit -q -m Mine || true`,
  gone: `rm -rf "$(git rev-parse --absolute-git-dir)"`,
  hidden: `git update-index --assume-unchanged shared.txt; echo hidden > shared.txt; git update-index --skip-worktree package.json 2>/dev/null || true`,
  grafts: `git replace --graft HEAD; git rev-parse HEAD > "$(git rev-parse --git-path shallow)"; git rev-parse HEAD > "$(git rev-parse --git-path info/grafts)"`,
  promisor: `git config extensions.partialClone evil; git config core.repositoryFormatVersion 1; git config remote.evil.url "ext::$TRAP"; git config remote.evil.promisor true; git config remote.evil.uploadpack "$TRAP"; git config protocol.ext.allow always; git config uploadpack.packObjectsHook "$TRAP"`,
  alias: `git config alias.status "!$TRAP"; git config alias.add "!$TRAP"; git config core.worktree "$USER_DIR"; git config core.bare true`,
}

const TRAP = `#!/bin/sh
[ -n "$HOSTILE" ] || echo "$0 $*" >> "@CANARY@"
exec cat
`

function prepare(bench: Bench) {
  makeRepository(bench.cwd, { "shared.txt": "shared\n" })
  const out = join(bench.cwd, "../out")
  mkdirSync(out)
  const [canary, trap] = [join(out, "canary"), join(out, "trap")]
  writeFileSync(trap, TRAP.replace("@CANARY@", canary))
  chmodSync(trap, 0o755)
  writeFileSync(join(bench.cwd, "shared.txt"), "the user's own change\n")
  git(bench.cwd, "stash", "--quiet")
  git(bench.cwd, "remote", "add", "origin", join(out, "origin.git"))
  git(bench.cwd, "init", "--quiet", "--bare", join(out, "origin.git"))
  const tasks = Object.entries(ATTACKS).map(([id, attack], index) => {
    const own = `export HOSTILE=1 TRAP='${trap}' OUT='${out}' USER_GIT='${bench.cwd}/.git' USER_DIR='${bench.cwd}'; set +e`
    const file = `f${index + 1}`
    return {
      id,
      files: [file],
      run: [`${own}\n(${attack}\n) > /dev/null 2>&1; test $? != 9 || exit 9\necho done > ${file}`],
    }
  })
  return { out, canary, plan: writePlan(join(bench.cwd, "../plan.json"), tasks) }
}

/** What of the user's repository must stay: all but what is ours, objects, and what a delivery moves. */
function userFiles(folder: string): Record<string, string> {
  const OURS =
    /^(?:objects|refs\/teamwork|refs\/heads\/(?:teamwork|main$)|teamwork|logs\/refs\/heads\/(?:teamwork|main$)|logs\/HEAD|index|COMMIT_EDITMSG|ORIG_HEAD|packed-refs|logs\/refs\/teamwork)/
  return snapshotFolder(join(folder, ".git"), (path) => OURS.test(path))
}

it("F069 F121 F122 F123: a hostile agent changes nothing outside of its workspace, and nothing it set runs in our git", async () => {
  using bench = makeBench()
  const { out, canary, plan } = prepare(bench)
  const before = { files: userFiles(bench.cwd), stash: git(bench.cwd, "stash", "list"), home: readdirSync(bench.home) }
  const { stdout, stderr } = await bench.run(["run", "--no-review", "--no-cascade", "--workers", "2", "--trust", plan])
  const shown = `${stdout}\n${stderr}`
  expect(existsSync(canary) ? readFileSync(canary, "utf8") : "nothing ran").toBe("nothing ran")
  expect({ shown, files: userFiles(bench.cwd) }).toEqual({ shown, files: before.files })
  expect(git(bench.cwd, "stash", "list")).toBe(before.stash)
  expect(git(bench.cwd, "stash", "show", "-p", "stash@{0}")).toContain("the user's own change")
  const branches = git(bench.cwd, "for-each-ref", "--format=%(refname)", "refs/heads", "refs/tags", "refs/remotes")
  expect(branches.split("\n").filter((ref) => !ref.startsWith("refs/heads/teamwork/"))).toEqual(["refs/heads/main"])
  expect(git(bench.cwd, "worktree", "list").split("\n")).toHaveLength(1)
  expect(git(join(out, "origin.git"), "for-each-ref")).toBe("")
  expect(git(bench.cwd, "fsck", "--no-dangling", "--no-progress")).toBe("")
  // Files about git itself are shared: they are taken, and told, at the merge.
  const files = git(bench.cwd, "ls-tree", "-r", "--name-only", "main").split("\n")
  expect(files.filter((name) => !/^(?:f\d+|shared\.txt|README\.md|\.gitattributes|\.gitmodules)$/.test(name))).toEqual(
    [],
  )
  expect(git(bench.cwd, "show", "main:shared.txt")).toBe("shared")
  // Each did its own task as well, and that is delivered.
  const { tasks } = await bench
    .ok<{ tasks: Data[] }>("task", "list")
    .then((all) => (Array.isArray(all) ? { tasks: all } : all))
  const undone = tasks.filter(({ status }) => status !== "resolved").map(({ id, status }) => `${id} ${status}`)
  expect({ shown, undone }).toEqual({ shown, undone: [] })
  expect(files.filter((name) => name.startsWith("f"))).toHaveLength(Object.keys(ATTACKS).length)
})

it.each([
  ["its folder by a link to the user's checkout", 'W=$(pwd); cd ..; rm -rf "$W"; ln -s "$USER_DIR" "$W"'],
  ["its folder and its repository", 'W=$(pwd); cd ..; rm -rf "$W" .repositories; ln -s "$USER_DIR" "$W"'],
  [
    "our view of it by a link to the user's repository",
    'v=../.views/$(basename "$(pwd)"); rm -rf "$v"; ln -s "$USER_DIR/.git" "$v"',
  ],
])("F069 F121: an agent that replaces %s reaches nothing of the user's", async (_, attack) => {
  using bench = makeBench()
  makeRepository(bench.cwd, { "shared.txt": "shared\n" })
  const plan = writePlan(join(bench.cwd, "../plan.json"), [
    { id: "1", run: [`USER_DIR='${bench.cwd}'; ${attack}`] },
    { id: "2", run: ["sleep 0.5; echo 2 > f2"] },
  ])
  writeFileSync(join(bench.cwd, "untracked.txt"), "precious\n")
  const before = git(bench.cwd, "rev-parse", "HEAD")
  const env = { TEAMWORK_TEAM_PARTIAL_DELIVERY: "always" }
  const { stdout, stderr } = await bench.run(
    ["run", "--no-review", "--no-cascade", "--workers", "2", "--trust", plan],
    { env },
  )
  const shown = `${stdout}\n${stderr}`
  expect({ shown, head: git(bench.cwd, "symbolic-ref", "HEAD") }).toEqual({ shown, head: "refs/heads/main" })
  expect(readFileSync(join(bench.cwd, "untracked.txt"), "utf8")).toBe("precious\n")
  expect({ shown, status: git(bench.cwd, "status", "--porcelain") }).toEqual({ shown, status: "?? untracked.txt" })
  const files = git(bench.cwd, "ls-tree", "-r", "--name-only", "main").split("\n")
  expect(files.filter((name) => name !== "f2")).toEqual(["README.md", "shared.txt"])
  expect(git(bench.cwd, "log", "--format=%an", `${before}..main`)).not.toContain("teamwork: what")
  const everything = git(bench.cwd, "for-each-ref", "--format=%(refname)", "refs/teamwork").split("\n")
  for (const ref of everything.filter((name) => /\/(?:head|leftovers)$/.test(name)))
    expect(git(bench.cwd, "ls-tree", "-r", "--name-only", ref)).not.toContain("untracked.txt")
})

it("keeps what an agent committed or staged although git ignores it, and what it stopped tracking", async () => {
  using bench = makeBench()
  makeRepository(bench.cwd, { ".gitignore": "dist/\n", "old.txt": "old\n" })
  const plan = writePlan(join(bench.cwd, "../plan.json"), [
    {
      id: "1",
      files: ["dist/*", "src.txt"],
      run: ["mkdir dist; echo 1 > dist/a.js; echo s > src.txt; git add -f dist/a.js src.txt; git commit -qm both"],
    },
    { id: "2", files: ["dist/*"], run: ["mkdir dist; echo 2 > dist/b.js; git add -f dist/b.js"], needs: ["1"] },
    {
      id: "3",
      files: ["old.txt", ".gitignore"],
      run: ["echo old.txt >> .gitignore; git rm -q --cached old.txt; git commit -qam untrack"],
      needs: ["2"],
    },
  ])
  const { exitCode, stdout, stderr } = await bench.run([
    "run",
    "--no-review",
    "--no-cascade",
    "--workers",
    "1",
    "--trust",
    plan,
  ])
  expect({ exitCode, shown: exitCode === 0 ? "" : `${stdout}\n${stderr}` }).toEqual({ exitCode: 0, shown: "" })
  const files = git(bench.cwd, "ls-tree", "-r", "--name-only", "main").split("\n")
  expect(files).toEqual([".gitignore", "README.md", "dist/a.js", "dist/b.js", "src.txt"])
})
