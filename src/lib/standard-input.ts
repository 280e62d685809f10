let read: Promise<string> | undefined

/** All of standard input, whoever asks and however often. */
export function standardInput(): Promise<string> {
  read ??= Bun.stdin.text()
  return read
}
