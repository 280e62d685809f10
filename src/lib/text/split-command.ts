/** One program call of a shell line. */
export interface SimpleCommand {
  /** Quotes taken off. */
  readonly words: readonly string[]
  /** What stands before it; an end of line counts as `;`. */
  readonly joiner: Joiner
}

type Joiner = "" | "&&" | "||" | ";" | "|"

export interface SplitLine {
  readonly commands: readonly SimpleCommand[]
  /**
   * The line has only these commands, joined by `&&`, `||`, `;`, `|` or an end of line, without substitution, redirection,
   * groups or background jobs. Otherwise the commands are a guess.
   */
  readonly isPlain: boolean
}

/** Characters that mean more to a shell than themselves where they are not quoted. */
const SPECIAL = new Set("$`<>(){}[]*?~!#&\\")
/** Those that keep their meaning between double quotes. */
const SPECIAL_IN_QUOTES = new Set("$`\\!")
/** Words that begin something other than a call. */
const RESERVED =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc|eval|exec|\.|source|alias|set)$/
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

/** Splits a shell line into its commands. Runs and expands nothing. */
export function splitCommand(line: string): SplitLine {
  const commands: SimpleCommand[] = []
  let words: string[] = []
  let word: string | undefined
  let joiner: Joiner = ""
  let isPlain = true
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = (next: Joiner) => {
    endWord()
    if (words.length > 0) commands.push({ words, joiner })
    else if (next === "|" || joiner === "|") isPlain = false
    words = []
    joiner = next
  }
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === "'" || char === '"') {
      const end = line.indexOf(char, at + 1)
      const quoted = line.slice(at + 1, end === -1 ? undefined : end)
      if (end === -1 || (char === '"' && [...quoted].some((each) => SPECIAL_IN_QUOTES.has(each)))) isPlain = false
      word = `${word ?? ""}${quoted}`
      at = end === -1 ? line.length : end
    } else if (char === "&" && line.charAt(at + 1) === "&") {
      endCommand("&&")
      at++
    } else if (char === "|") {
      const isOr = line.charAt(at + 1) === "|"
      endCommand(isOr ? "||" : "|")
      if (isOr) at++
    } else if (char === ";" || char === "\n") endCommand(";")
    else if (char === " " || char === "\t") endWord()
    else {
      if (SPECIAL.has(char) || char < " ") isPlain = false
      word = `${word ?? ""}${char}`
    }
  }
  endCommand("")
  const isCall = ({ words: [first = ""] }: SimpleCommand) => !RESERVED.test(first) && !ASSIGNMENT.test(first)
  return { commands, isPlain: isPlain && commands.every(isCall) }
}
