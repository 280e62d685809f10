/** Adds to a text of which only about the last `max` characters matter. Cut now and then, not each time: to cut means to copy. */
export function appendTail(tail: string, more: string, max: number): string {
  const longer = tail + more
  return longer.length > 2 * max ? longer.slice(-max) : longer
}
