/** Runs a program in our terminal and returns its exit code. */
export async function runInTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return Bun.spawn([...command], { env, stdio: ["inherit", "inherit", "inherit"] }).exited
}
