/** The code of an error of the system, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return error instanceof Error && typeof code === "string" ? code : undefined
}
