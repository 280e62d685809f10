/** The same for texts that differ only in case, spaces and punctuation. Symbols stay: C++ is not C. */
export function foldText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\p{P}\s\p{Cc}]+/gu, " ")
    .trim()
}

/** The significant words of a text. Chinese has no spaces, so pairs of its characters count as words. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [run] of text
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(/\p{Script=Han}+|[^\P{L}\p{Script=Han}]+|\p{N}{3,}/gu)) {
    if (!/\p{Script=Han}/u.test(run)) addWord(words, run)
    else for (let at = 0; at + 1 < run.length; at++) words.add(run.slice(at, at + 2))
  }
  return words
}

function addWord(words: Set<string>, word: string): void {
  if (word.length < 3 || COMMON.has(word)) return
  // Singular and plural count as the same word.
  words.add(word.length > 4 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word)
}

/** Too common to say what a text is about. */
const COMMON = new Set(
  "about after all also and any are but can each every files for from has have into its more must not one only other out should some task team than that the their them then there these they this use used user uses using was what when where which while will with work you your".split(
    " ",
  ),
)

export function countShared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return one.intersection(other).size
}
