const SAMPLE = /\.(?:example|sample|template|dist|defaults?)$/
const NEEDED: readonly RegExp[] = [
  /(?:^|\/)\.env(?:\.[\w.-]+)?$/,
  /(?:^|\/)\.envrc$/,
  /(?:^|\/)\.dev\.vars$/,
  /(?:^|\/)[\w-]+\.local\.\w+$/,
  /(?:^|\/)[\w-]+\.local$/,
  /(?:^|\/)(?:config|settings)\/(?:[^/]+\/)*(?:local|secrets?|credentials)\.\w+$/,
  /(?:^|\/)local\.properties$/,
  /(?:^|\/)(?:master|credentials)\.key$/,
  /(?:^|\/)local_settings\.py$/,
  /(?:^|\/)appsettings\.(?:Local|Development)\.json$/,
]

/** They often hold secrets, so they are only reported. */
export function findNeededIgnored(ignored: readonly string[]): string[] {
  return ignored
    .filter((path) => !path.endsWith("/") && !SAMPLE.test(path) && NEEDED.some((pattern) => pattern.test(path)))
    .sort()
}
