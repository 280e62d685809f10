/**
 * How many pieces of work a text asks for, read from its shape: the items of a list, else what its orders enumerate
 * ("add login, logout and refresh" are three). The first sentence is taken as the order, whatever its form, since titles
 * have no verb; of the others only those that tell somebody to do something count, for the rest is background.
 */
export function countParts(prose: string): number {
  const lines = prose.split("\n")
  const items = lines.filter((line) => LIST_ITEM.test(line))
  if (items.length >= 2) return items.length
  const sentences = lines
    .flatMap((line) =>
      line
        .replace(LIST_ITEM, "")
        .replaceAll(ABBREVIATIONS, "")
        .split(/(?<=[.!?])\s+|;/),
    )
    .filter((sentence) => /\w/.test(sentence))
  const orders = sentences.filter((sentence, index) => (index === 0 || isOrder(sentence)) && !isQuestion(sentence))
  return orders.reduce((sum, sentence) => sum + countPieces(sentence), 0)
}

const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,2}[.)]|\[[ x]\])\s+/
const ABBREVIATIONS = /\b(?:e\.g|i\.e|etc|vs|approx)\./gi

const ORDER =
  /^\s*(?:(?:please|then|also|finally|first|next|afterwards|it|you|we|they)[\s,]+)*(?:add|build|create|implement|write|update|fix|remove|delete|rename|move|change|refactor|migrate|document|test|cover|store|expose|deploy|configure|set|wire|connect|extract|replace|integrate|design|show|render|validate|check|verify|run|split|improve|optimi[sz]e|convert|introduce|make|handle|support|cache|log|publish|send|use|keep|put|ensure)\b|\b(?:should|must|needs? to|has to|have to)\b/i

function isOrder(sentence: string): boolean {
  return ORDER.test(sentence)
}

function isQuestion(sentence: string): boolean {
  return sentence.trimEnd().endsWith("?")
}

const BETWEEN_PIECES = /,|:\s|\s(?:and|plus|then|as well as)\s/i

/** Longer than this and it is prose between commas, not an item. */
const MOST_WORDS_OF_A_PIECE = 8

const SUBORDINATE =
  /^(?:which|that|who|because|when|whenever|if|but|so|since|while|although|however|as|or|where|until|unless|otherwise|instead|not)\b/i

/** Files are counted as such. */
const FILE_ALONE = /^\S{0,200}[./]\S{1,200}$/

function countPieces(sentence: string): number {
  const pieces = sentence
    .split(BETWEEN_PIECES)
    .map((piece) => piece.trim())
    .filter((piece) => /\w/.test(piece))
  let count = 0
  for (const [index, piece] of pieces.entries()) {
    if (
      index > 0 &&
      (SUBORDINATE.test(piece) || FILE_ALONE.test(piece) || piece.split(/\s+/).length > MOST_WORDS_OF_A_PIECE)
    )
      continue
    // "A page with a form and a list" are three: what `with` leads in is a list when another item follows.
    const opensList = index === 0 && pieces.length > 1 && /\s(?:with|including)\s/i.test(piece)
    count += opensList ? 2 : 1
  }
  return count
}
