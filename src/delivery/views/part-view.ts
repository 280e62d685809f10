import { cut, oneLine, type Screen } from "../../lib/text/table.ts"
import { describeLeftOut, type LeftOut } from "../../quality/left-out.ts"
import type { OfferedPart } from "../offered-part.ts"

const MOST_FILES = 20

export function renderPart({ target, files, leftOut }: OfferedPart, { columns }: Screen): string {
  const shown = files.slice(0, MOST_FILES).map(({ status, path }) => `  ${status.padEnd(8)} ${oneLine(path)}`)
  const more = files.length > shown.length ? [`  and ${files.length - shown.length} more`] : []
  const count = files.length === 1 ? "1 file" : `${files.length} files`
  return [
    `The finished work passes the final gate without the rest. On ${target} it changes ${count}:`,
    ...shown.map((line) => cut(line, columns)),
    ...more,
    `Left out: ${oneLine(describeLeftOut(leftOut))}`,
  ].join("\n")
}

/** Empty where everything was delivered. */
export function sayLeftOut(leftOut: readonly LeftOut[]): string[] {
  if (leftOut.length === 0) return []
  return [`Delivered without: ${oneLine(describeLeftOut(leftOut))}`, "To go on with the rest, see: teamwork report"]
}
