/** An argument as a shell reads it back; what needs no quotes gets none. */
export function quoteArgument(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
