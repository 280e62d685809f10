export interface Section {
  readonly name: string
  readonly heading: string
  /** The lowest is cut first; null is never cut. */
  readonly priority: number | null
  readonly lead?: string
  /** Characters of the lead that are not teamwork's own words. */
  readonly material?: number
  readonly blocks?: readonly Block[]
  /** Only the last blocks, each at most this long. */
  readonly most?: { readonly blocks: number; readonly characters: number }
}

export interface Block {
  readonly label?: string
  readonly body: string
  /** Written by others: fenced, so that it cannot pose as part of the prompt. */
  readonly isForeign: boolean
  readonly isOurs?: true
}

export interface FittedSection {
  readonly name: string
  /** 0 for an omitted section. */
  readonly characters: number
  readonly trimmed: number
}

export interface FittedText {
  readonly text: string
  readonly sections: readonly FittedSection[]
  /** Characters of teamwork's own words: rules, headings and fences. The rest is material. */
  readonly own: number
  /** Because the rest must not be cut. */
  readonly overBy: number
}

/** A shorter piece is no help. */
const LEAST_OF_A_BODY = 200

/** Shorter sections are cut last: one long message must not displace everything else. */
const FAIR_SHARE = 2000

/**
 * At most `limit` characters long. The section of the lowest priority is cut first: long bodies in the middle, then
 * the oldest entries, then all of it. The last line names what was trimmed.
 */
export function fitSections(sections: readonly Section[], limit: number): FittedText {
  const full = sections.map((section) => render(section))
  const texts = [...full]
  const report = () => sections.map((section, index) => sizes(section, full[index], texts[index]))
  const whole = join(texts)
  const own = () => sections.reduce((sum, section, index) => sum + ownOf(section, full[index], texts[index]), 0)
  if (whole.length <= limit) return { text: whole, sections: report(), own: own(), overBy: 0 }

  for (const floor of [FAIR_SHARE, 0]) {
    for (const { section, index } of inOrder(sections)) {
      const now = texts[index] ?? ""
      if (join([...texts, note(report(), limit)]).length <= limit) break
      // The note will name this section too and needs room for it.
      const others = report().filter((_, each) => each !== index)
      const line = note([...others, { name: section.name, characters: lengthOf(full[index]), trimmed: 1 }], limit)
      const excess = join([...texts, line]).length - limit
      if (now.length > floor) texts[index] = shrink(section, Math.max(floor, now.length - excess))
    }
  }
  return { ...withNote(join(texts), report(), limit), own: own() }
}

function ownOf({ material = 0, blocks = [] }: Section, before = "", after = ""): number {
  const bodies = blocks.reduce((sum, { body, isOurs }) => sum + (isOurs === true ? 0 : body.length), material)
  return Math.min(after.length, Math.max(0, before.length - bodies))
}

/** Without those that are never cut; the lowest priority first. */
function inOrder(sections: readonly Section[]) {
  const trimmable = sections.flatMap((section, index) =>
    section.priority === null ? [] : [{ section, index, priority: section.priority }],
  )
  return trimmable.toSorted((a, b) => a.priority - b.priority)
}

function withNote(body: string, sections: readonly FittedSection[], limit: number): Omit<FittedText, "own"> {
  const text = join([body, note(sections, limit)])
  if (text.length <= limit) return { text, sections, overBy: 0 }
  const long = `${text} What must not be cut takes ${body.length} characters, so this prompt is longer than that.`
  return { text: long, sections, overBy: long.length - limit }
}

function note(sections: readonly FittedSection[], limit: number): string {
  const trimmed = sections.filter((section) => section.trimmed > 0)
  const parts = trimmed.map(({ name, characters, trimmed }) => `${name} ${characters + trimmed} -> ${characters}`)
  return `[Trimmed to ${limit} characters: ${parts.length === 0 ? "nothing could be" : parts.join(", ")}.]`
}

function sizes({ name }: Section, before = "", after = ""): FittedSection {
  return { name, characters: after.length, trimmed: before.length - after.length }
}

function lengthOf(text = ""): number {
  return text.length
}

function join(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n")
}

interface Shape {
  /** Longer bodies are shortened. */
  readonly maxBody?: number
  /** Of the last blocks. */
  readonly keep?: number
}

function render({ heading, lead = "", blocks = [] }: Section, { maxBody, keep = blocks.length }: Shape = {}): string {
  const left = blocks.length - keep
  const mark = left === 0 ? "" : `[... the first ${left} of ${blocks.length} entries left out ...]`
  const shown = blocks.slice(left).map((block) => renderBlock(block, maxBody))
  return join([`# ${heading}`, lead, mark, ...shown])
}

function renderBlock({ label, body, isForeign }: Block, maxBody = Number.POSITIVE_INFINITY): string {
  const text = shorten(body, maxBody)
  const shown = isForeign ? fence(text) : text
  return label === undefined ? shown : `${label}\n${shown}`
}

function shrink(section: Section, room: number): string {
  const { blocks = [] } = section
  const fits = (shape: Shape) => render(section, shape).length <= room
  const longest = blocks.reduce((most, block) => Math.max(most, block.body.length), 0)
  const maxBody = findLargest(LEAST_OF_A_BODY, longest, (size) => fits({ maxBody: size }))
  if (maxBody !== undefined) return render(section, { maxBody })
  const keep = findLargest(1, blocks.length, (count) => fits({ maxBody: LEAST_OF_A_BODY, keep: count }))
  return keep === undefined ? "" : render(section, { maxBody: LEAST_OF_A_BODY, keep })
}

/** By bisection. */
function findLargest(from: number, to: number, fits: (size: number) => boolean): number | undefined {
  let best: number | undefined
  let low = from
  let high = to
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) {
      best = middle
      low = middle + 1
    } else high = middle - 1
  }
  return best
}

/** Keeps the beginning, which names the subject, and the end, which has the result. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const mark = (left: number) => `\n[... ${left} characters left out ...]\n`
  const kept = Math.max(0, max - mark(text.length).length)
  const head = Math.ceil(kept / 2) - (cutsLetter(text, Math.ceil(kept / 2)) ? 1 : 0)
  const end = text.length - Math.floor(kept / 2)
  const tail = end + (cutsLetter(text, end) ? 1 : 0)
  return `${text.slice(0, head)}${mark(tail - head)}${text.slice(tail)}`
}

/** Inside a surrogate pair. */
function cutsLetter(text: string, at: number): boolean {
  return at > 0 && /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1))
}

/** Longer than any fence inside, so the text cannot end it. */
function fence(text: string): string {
  let longest = 0
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  const ticks = "`".repeat(Math.max(3, longest + 1))
  return `${ticks}text\n${text}\n${ticks}`
}
