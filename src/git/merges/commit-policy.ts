import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemIds } from "../../lib/make-ids.ts"
import { resolvePath } from "../../lib/paths.ts"
import { processesMarked } from "../../lib/process/process-tree.ts"
import type { Git } from "../git.ts"

/** What the user asks of every commit in this repository, as far as it goes for commits that teamwork makes. */
export interface CommitPolicy {
  /** Whether the user signs commits, and that works while nobody is there. */
  isSigning(): Promise<boolean>
  /** To be called when it did not work after all: from then on nothing is signed. */
  stopSigning(why: string): void
  /** The variables for a git that signs: nobody is there to type a passphrase, so it must fail instead of asking. */
  readonly env: Readonly<Record<string, string>>
  /** The message as the user's commit-msg hook leaves it. */
  message(text: string): Promise<string>
  /** What a person should know, in words, each once. */
  notes(): Promise<readonly string[]>
}

export interface PolicySettings {
  readonly signs: boolean
  readonly runsHooks: boolean
  /** How long a hook may take. */
  readonly hookMs?: number
}

const MARK = "TEAMWORK_COMMIT_HOOK"
const SIGN_MS = 20_000
const HOOK_MS = 60_000
const SAMPLE = "Merge task 1: Title\n\nTeamwork-Task: 1\nTeamwork-Attempt: 1\n"

export function makeCommitPolicy(git: Git, settings: PolicySettings): CommitPolicy {
  const told: string[] = []
  const tell = (line: string) => void (told.includes(line) || told.push(line))
  let signing: Promise<boolean> | undefined
  let hooks: Promise<string | undefined> | undefined
  const messages = new Map<string, Promise<string>>()

  const unsigned = (why: string) =>
    tell(
      `commit.gpgSign is set, but nothing can be signed while nobody is there (${why}), so the team's merge commits are not signed; sign them afterwards with: git rebase --rebase-merges --exec 'git commit --amend --no-edit -S' BEFORE; to silence this: teamwork config set delivery.sign false`,
    )

  async function trySigning(): Promise<boolean> {
    if (!settings.signs || (await readSetting(git, "bool", "commit.gpgSign")) !== "true") return false
    const tree = await git.read(["mktree"], { input: "" })
    const args = ["commit-tree", "-S", tree, "-m", "Whether teamwork can sign"]
    const { exitCode, stderr } = await git
      .run(args, { env: NOBODY_THERE, timeoutMs: SIGN_MS })
      .catch((error: unknown) => ({ exitCode: 1, stderr: error instanceof Error ? error.message : String(error) }))
    if (exitCode !== 0) unsigned(lastLine(stderr))
    return exitCode === 0
  }

  async function runHook(text: string): Promise<string> {
    hooks ??= settings.runsHooks ? findHooks(git) : Promise.resolve(undefined)
    const folder = await hooks
    if (folder === undefined) return text
    const { commonDir } = await git.places()
    const id = systemIds.uuid()
    const file = join(commonDir, "teamwork-moves", `${id}.${process.pid}.message`)
    mkdirSync(join(commonDir, "teamwork-moves"), { recursive: true })
    writeFileSync(file, text)
    try {
      const args = ["-c", `core.hooksPath=${folder}`, "hook", "run", "--ignore-missing", "commit-msg", "--", file]
      const { exitCode, stdout, stderr } = await git
        .run(args, { timeoutMs: settings.hookMs ?? HOOK_MS, env: { [MARK]: id } })
        .catch(() => {
          // Stopping git does not stop what it started.
          for (const pid of processesMarked(`${MARK}=${id}`, {})) process.kill(pid, "SIGKILL")
          // It would hold up every merge for as long.
          hooks = Promise.resolve(undefined)
          return { exitCode: 1, stdout: "", stderr: "it did not come to an end" }
        })
      const changed = readFileSync(file, "utf8").trim()
      if (exitCode === 0 && changed !== "") return keepTrailers(changed, text)
      const why = exitCode === 0 ? "it leaves nothing of the message" : firstLine(`${stdout}\n${stderr}`)
      tell(
        `your commit-msg hook refuses the team's merge messages ("Merge task 1: Title": ${why}), so they are taken as they are; let it pass messages that begin with "Merge task", or silence this: teamwork config set delivery.commitHooks false`,
      )
      return text
    } finally {
      rmSync(file, { force: true })
    }
  }

  const message = (text: string) => {
    // A hook says the same of the same message, and merges are made again and again until they fit.
    const known = messages.get(text) ?? runHook(text)
    messages.set(text, known)
    return known
  }

  return {
    isSigning() {
      signing ??= trySigning()
      return signing
    },
    stopSigning(why) {
      signing = Promise.resolve(false)
      unsigned(lastLine(why))
    },
    env: NOBODY_THERE,
    message,
    async notes() {
      signing ??= trySigning()
      const [isSigned] = await Promise.all([signing, message(SAMPLE)])
      if (isSigned)
        tell("the team's merge commits are signed as you do; the commits of the tasks, which agents made, are not")
      return told
    },
  }
}

/** No terminal and no window: what would ask for a passphrase fails at once. */
const NOBODY_THERE = {
  GPG_TTY: "",
  DISPLAY: "",
  WAYLAND_DISPLAY: "",
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "force",
}

/** As the user set it: our own calls of git turn it off for themselves. */
async function readSetting(git: Git, type: "bool" | "path", name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git.run(["config", "--show-scope", "-z", `--type=${type}`, "--get-all", name])
  if (exitCode !== 0) return undefined
  const parts = stdout.split("\0")
  let value: string | undefined
  for (let at = 0; at + 1 < parts.length; at += 2) if (parts[at] !== "command") value = parts[at + 1]
  return value
}

/** Where the user's commit-msg hook is, if there is one. Only those of the repository itself, never of a workspace. */
async function findHooks(git: Git): Promise<string | undefined> {
  const { commonDir } = await git.places()
  const set = await readSetting(git, "path", "core.hooksPath")
  const folder = set === undefined || set === "" ? join(commonDir, "hooks") : await below(git, set)
  try {
    // As git does, one that is no program is passed over.
    accessSync(join(folder, "commit-msg"), constants.X_OK)
    return folder
  } catch {
    return undefined
  }
}

async function below(git: Git, path: string): Promise<string> {
  const { exitCode, stdout } = await git.run(["rev-parse", "--show-toplevel"])
  return resolvePath(path, exitCode === 0 ? stdout.trim() : (await git.places()).commonDir)
}

/** The last lines of a message tell which work it stands for, whatever a hook makes of it. */
function keepTrailers(changed: string, text: string): string {
  const trailers = text.split("\n").filter((line) => /^Teamwork-\w+: /.test(line))
  const last = changed.slice(changed.lastIndexOf("\n\n") + 1).split("\n")
  if (trailers.every((line) => last.includes(line))) return `${changed}\n`
  const rest = changed.split("\n").filter((line) => !trailers.includes(line))
  const paragraphs = rest.join("\n").trimEnd().split(/\n\n+/)
  const isBlock = paragraphs.length > 1 && (paragraphs.at(-1) ?? "").split("\n").every((line) => /^[\w-]+: /.test(line))
  return `${paragraphs.join("\n\n")}${isBlock ? "\n" : "\n\n"}${trailers.join("\n")}\n`
}

function firstLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.trim()
      .slice(0, 200) ?? "no reason given"
  )
}

function lastLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  return (lines.findLast((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? "no reason given").slice(0, 200)
}
