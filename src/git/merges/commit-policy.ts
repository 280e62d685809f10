import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemIds } from "../../lib/make-ids.ts"
import { resolvePath } from "../../lib/paths.ts"
import { processesMarked } from "../../lib/process/process-tree.ts"
import type { Git } from "../git.ts"

/** Applies the user's signing and commit-msg hook to teamwork's commits. */
export interface CommitPolicy {
  /** The user signs commits, and that works unattended. */
  isSigning(): Promise<boolean>
  /** Later commits are not signed. */
  stopSigning(why: string): void
  /** Makes signing fail instead of asking for a passphrase. */
  readonly env: Readonly<Record<string, string>>
  /** As changed by the user's commit-msg hook. */
  message(text: string): Promise<string>
  /** Warnings for people, each once. */
  notes(): Promise<readonly string[]>
}

export interface PolicySettings {
  readonly signs: boolean
  readonly runsHooks: boolean
  readonly hookMs?: number
}

const MARK = "TEAMWORK_COMMIT_HOOK"
const SIGN_MS = 20_000
const HOOK_MS = 60_000
const SAMPLE = "Merge task 1: Title\n\nTeamwork-Task: 1\nTeamwork-Attempt: 1\n"

export function makeCommitPolicy(git: Git, settings: PolicySettings): CommitPolicy {
  const noted = new Set<string>()
  let signing: Promise<boolean> | undefined
  let hooks: Promise<string | undefined> | undefined
  const messages = new Map<string, Promise<string>>()

  const noteUnsigned = (why: string) =>
    noted.add(
      `commit.gpgSign is set, but signing does not work unattended (${why}), so the team's merge commits are not signed; sign them afterwards with: git rebase --rebase-merges --exec 'git commit --amend --no-edit -S' BEFORE; to silence this: teamwork config set delivery.sign false`,
    )

  async function trySigning(): Promise<boolean> {
    if (!settings.signs || (await readSetting(git, "bool", "commit.gpgSign")) !== "true") return false
    const tree = await git.read(["mktree"], { input: "" })
    const args = ["commit-tree", "-S", tree, "-m", "Whether teamwork can sign"]
    const { exitCode, stderr } = await git
      .run(args, { env: UNATTENDED, timeoutMs: SIGN_MS })
      .catch((error: unknown) => ({ exitCode: 1, stderr: error instanceof Error ? error.message : String(error) }))
    if (exitCode !== 0) noteUnsigned(lastLine(stderr))
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
          // Git's own children survive it.
          for (const pid of processesMarked(`${MARK}=${id}`, {})) process.kill(pid, "SIGKILL")
          // A hook that hangs would delay every merge.
          hooks = Promise.resolve(undefined)
          return { exitCode: 1, stdout: "", stderr: "it did not end" }
        })
      const changed = readFileSync(file, "utf8").trim()
      if (exitCode === 0 && changed !== "") return keepTrailers(changed, text)
      const why = exitCode === 0 ? "it leaves an empty message" : firstLine(`${stdout}\n${stderr}`)
      noted.add(
        `your commit-msg hook refuses the team's merge messages ("Merge task 1: Title": ${why}), so they are used unchanged; let it accept messages that begin with "Merge task", or silence this: teamwork config set delivery.commitHooks false`,
      )
      return text
    } finally {
      rmSync(file, { force: true })
    }
  }

  const message = (text: string) => {
    // The same merge may be committed several times until it is final.
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
      noteUnsigned(lastLine(why))
    },
    env: UNATTENDED,
    message,
    async notes() {
      signing ??= trySigning()
      const [isSigned] = await Promise.all([signing, message(SAMPLE)])
      if (isSigned)
        noted.add("the team's merge commits are signed like yours; the commits that agents made are not signed")
      return [...noted]
    },
  }
}

/** Without terminal and window a passphrase prompt fails at once. */
const UNATTENDED = {
  GPG_TTY: "",
  DISPLAY: "",
  WAYLAND_DISPLAY: "",
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "force",
}

/** Ignores the settings of our own command line. */
async function readSetting(git: Git, type: "bool" | "path", name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await git.run(["config", "--show-scope", "-z", `--type=${type}`, "--get-all", name])
  if (exitCode !== 0) return undefined
  const parts = stdout.split("\0")
  let value: string | undefined
  for (let at = 0; at + 1 < parts.length; at += 2) if (parts[at] !== "command") value = parts[at + 1]
  return value
}

/** Only in the user's repository, never a worker's. */
async function findHooks(git: Git): Promise<string | undefined> {
  const { commonDir } = await git.places()
  const set = await readSetting(git, "path", "core.hooksPath")
  const folder = set === undefined || set === "" ? join(commonDir, "hooks") : await below(git, set)
  try {
    // Git ignores a hook that is not executable.
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

/** Trailers name the task of a merge, so they must survive the hook. */
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
