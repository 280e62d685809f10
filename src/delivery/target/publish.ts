import type { Targets } from "../../git/port.ts"
import { integrationBranch } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Processes } from "../../lib/process/process.ts"

const PR_TIMEOUT_MS = 120_000

export async function pushTarget(targets: Targets, target: string): Promise<{ remote: string; branch: string }> {
  const { name } = await getRemote(targets, target)
  await targets.push(name, target)
  return { remote: name, branch: target }
}

export interface PullRequest {
  readonly remote: string
  readonly branch: string
  /** Null where it could not be made here. */
  readonly url: string | null
  /** What the person does next. */
  readonly next: string | null
}

export interface PullRequestPorts {
  readonly targets: Targets
  readonly processes: Processes
  readonly cwd: string
  readonly env: Record<string, string | undefined>
}

/** Pushes the integration branch and opens a pull request with `gh`, or says where to open it. */
export async function openPullRequest(
  { targets, processes, cwd, env }: PullRequestPorts,
  request: { name: TeamName; target: string; title: string; body: string },
): Promise<PullRequest> {
  const { name: remote, url } = await getRemote(targets, request.target)
  const branch = integrationBranch(request.name)
  await targets.push(remote, branch)
  const { target, title, body } = request
  const flags = [`--base=${target}`, `--head=${branch}`, `--title=${title}`, `--body=${body}`]
  const ended = await processes.run({
    command: ["gh", "pr", "create", ...flags],
    cwd,
    timeoutMs: PR_TIMEOUT_MS,
    env: { ...env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" },
  })
  const made = /https?:\/\/\S+\/pull\/\d+/.exec(ended.tail)?.[0] ?? null
  // `gh` prints the address of an existing pull request too.
  if (made !== null) return { remote, branch, url: made, next: null }
  const by = compareAddress(url, target, branch) ?? `ask at ${remote} for the merge of ${branch} into ${target}`
  return { remote, branch, url: null, next: by }
}

async function getRemote(targets: Targets, target: string): Promise<{ name: string; url: string }> {
  const remote = await targets.findRemote(target)
  if (remote !== undefined) return remote
  throw new AppError("deliver.failed", "there is no remote to push to; add one with: git remote add origin ADDRESS")
}

/** The page of a known site that opens a pull request; undefined for other addresses. */
export function compareAddress(remote: string, base: string, head: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[^@/]+@([^:/]+)(?::\d+\/|[:/])(.+)$/.exec(remote)
  const web = /^https?:\/\/(?:[^@/]*@)?([^/]+)\/(.+)$/.exec(remote)
  const [, host, path] = ssh ?? web ?? []
  if (host === undefined || path === undefined) return undefined
  const site = `https://${host}/${path.replace(/(?:\.git)?\/?$/, "")}`
  const [from, to] = [encodeURIComponent(base), encodeURIComponent(head)]
  if (!host.includes("gitlab")) return `${site}/compare/${from}...${to}?expand=1`
  return `${site}/-/merge_requests/new?merge_request[source_branch]=${to}&merge_request[target_branch]=${from}`
}
