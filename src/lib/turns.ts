/** Lets one piece of work run at a time, in the order they came. */
export function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    // The next turn begins after this one however it ended; its error belongs to its own caller.
    last = result.then(ignore, ignore)
    return result
  }
}

function ignore(): void {}
