/** Unifies spellings that some disks treat as one path, letter by letter, so that `?` still matches one letter. */
export function fold(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(path)) return path.toLowerCase()
  return Array.from(path.normalize("NFC"), foldLetter).join("")
}

function foldLetter(letter: string): string {
  const isOne = (text: string) => text.length === String.fromCodePoint(pointOf(text)).length
  const upper = letter.toUpperCase()
  const lower = (isOne(upper) ? upper : letter).toLowerCase()
  return isOne(lower) ? lower : letter
}

export function pointOf(letter: string): number {
  return letter.codePointAt(0) ?? 0
}
