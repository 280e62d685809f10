/** A command line without some of its flags; `withValue` are those whose next word goes too. */
export function withoutFlags(
  command: readonly string[],
  { alone = [], withValue = [] }: { readonly alone?: readonly string[]; readonly withValue?: readonly string[] },
): string[] {
  return command.filter((word, at) => {
    if (alone.includes(word) || withValue.includes(word)) return false
    return !withValue.includes(command[at - 1] ?? "")
  })
}
