/**
 * The number of requested pieces of work: items of a list, or of an order ("add login, logout and refresh" are
 * three). The first sentence counts as an order, since titles have no verb; of the others only orders count.
 */
export function countParts(prose: string): number {
  const items = prose.match(LIST_ITEMS)?.length ?? 0
  if (items >= 2) return items
  let parts = 0
  let isFirst = true
  const sentences = splitSentences(items === 0 ? prose : prose.replace(LIST_ITEMS, "\n"))
  for (let at = 0; at < sentences.length; at++) {
    const sentence = sentences[at] as string
    if (!HAS_WORD.test(sentence)) continue
    if ((isFirst || ORDER.test(sentence)) && !isQuestion(sentence)) parts += countPieces(sentence)
    isFirst = false
  }
  return parts
}

function splitSentences(prose: string): string[] {
  const plain = prose.includes(".") ? prose.replaceAll(ABBREVIATIONS, "") : prose
  return plain.split(/(?<=[.!?])[^\S\n]+|[;\n]/)
}

const HAS_WORD = /\w/

/** With the line break before it. */
const LIST_ITEMS = /(?:^|\n)[^\S\n]*(?:[-*+•]|\d{1,2}[.)]|\[[ x]\])[^\S\n]+/g
const ABBREVIATIONS = /\b(?:e\.g|i\.e|etc|vs|approx)\./gi

const ORDER =
  /^\s*(?:(?:please|then|also|finally|first|next|afterwards|it|you|we|they)[\s,]+)*(?:add|build|create|implement|write|update|fix|remove|delete|rename|move|change|refactor|migrate|document|test|cover|store|expose|deploy|configure|set|wire|connect|extract|replace|integrate|design|show|render|validate|check|verify|run|split|improve|optimi[sz]e|convert|introduce|make|handle|support|cache|log|publish|send|use|keep|put|ensure)\b|\b(?:should|must|needs? to|has to|have to)\b/i

function isQuestion(sentence: string): boolean {
  return sentence.trimEnd().endsWith("?")
}

const BETWEEN_PIECES = /,|:\s|\s(?:and|plus|then|as well as)\s/i

/** Longer pieces are prose, not items. */
const TOO_LONG = /^(?:\S+\s+){8}\S/

const SUBORDINATE =
  /^(?:which|that|who|because|when|whenever|if|but|so|since|while|although|however|as|or|where|until|unless|otherwise|instead|not)\b/i

/** Files are counted elsewhere. */
const FILE_ALONE = /^\S{0,200}[./]\S{1,200}$/

function countPieces(sentence: string): number {
  let first: string | undefined
  let others = 0
  let items = 0
  const pieces = sentence.split(BETWEEN_PIECES)
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as string
    if (!HAS_WORD.test(piece)) continue
    if (first === undefined) first = piece.trim()
    else {
      others++
      if (isItem(piece.trim())) items++
    }
  }
  // "A page with a form and a list" are three: `with` begins a list if another item follows.
  const opensList = others > 0 && /\s(?:with|including)\s/i.test(first ?? "")
  return items + (opensList ? 2 : 1)
}

function isItem(piece: string): boolean {
  return !SUBORDINATE.test(piece) && !FILE_ALONE.test(piece) && !TOO_LONG.test(piece)
}
