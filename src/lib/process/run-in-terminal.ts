/** Hands our terminal over to a program until it ends; its exit code. */
export async function runInTerminal(
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return Bun.spawn([...command], { env, stdio: ["inherit", "inherit", "inherit"] }).exited
}
