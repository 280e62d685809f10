/** `2026-01-31T12:00:00.000Z`, with a date that exists. By hand, because an import checks thousands. */
export function isIsoTime(text: string): boolean {
  if (text.length !== SHAPE.length) return false
  for (let at = 0; at < SHAPE.length; at++) {
    const code = text.charCodeAt(at)
    if (SHAPE.charCodeAt(at) === ZERO ? code < ZERO || code > NINE : code !== SHAPE.charCodeAt(at)) return false
  }
  const month = numberAt(text, 5)
  const day = numberAt(text, 8)
  const isTime = numberAt(text, 11) < 24 && numberAt(text, 14) < 60 && numberAt(text, 17) < 60
  return isTime && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(month, text)
}

const SHAPE = "0000-00-00T00:00:00.000Z"
const ZERO = 48
const NINE = 57

/** Two digits. */
function numberAt(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO
}

function daysOf(month: number, text: string): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  const inCentury = numberAt(text, 2)
  const isLeap = inCentury === 0 ? numberAt(text, 0) % 4 === 0 : inCentury % 4 === 0
  return isLeap ? 29 : 28
}
