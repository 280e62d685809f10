/** The words of a command line as a POSIX shell splits them, without expansion. Undefined when a quote does not end. */
export function splitArguments(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ""
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    const next = line.charAt(at + 1)
    const isEscape = char === "\\" && quote !== "'" && next !== "" && (quote === "" || '"\\$`'.includes(next))
    if (isEscape) {
      word = `${word ?? ""}${next}`
      at++
    } else if (quote !== "") {
      if (char === quote) quote = ""
      else word = `${word ?? ""}${char}`
    } else if (char === "'" || char === '"') {
      quote = char
      word ??= ""
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ""}${char}`
  }
  if (quote !== "") return undefined
  return word === undefined ? words : [...words, word]
}
