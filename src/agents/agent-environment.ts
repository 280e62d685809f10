import { WORKER_MARKS } from "../lib/process/worker-mark.ts"

const COMMON = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TZ",
  "TERM",
  "TMPDIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  // Gemini hides git's settings from the commands it runs, but not these.
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
  // Marks the worker, so that the agent does not outlive it.
  WORKER_MARKS,
] as const

/** Only the variables above and those of the program. A name may end in `*`. */
export function buildEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
): Record<string, string> {
  const allowed = [...COMMON, ...variables]
  const isAllowed = (name: string) =>
    allowed.some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry))
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0])),
  )
}
