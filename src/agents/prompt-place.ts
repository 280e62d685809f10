/** One argument may have 128 KB on Linux; a little less leaves room for what is added. */
const MAX_ARGUMENT_BYTES = 100_000

/** As an argument, or on standard input when it is too long for one or would be taken for a flag. */
export function placePrompt(prompt: string): { readonly argument: string | null; readonly input: string | null } {
  const fits = Buffer.byteLength(prompt) <= MAX_ARGUMENT_BYTES && !prompt.startsWith("-")
  return fits ? { argument: prompt, input: null } : { argument: null, input: prompt }
}
