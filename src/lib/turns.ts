/** Runs one piece of work at a time, in the order of the calls. */
export function takeTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    // The next one starts even after a failure; the error goes to its own caller.
    last = result.then(ignore, ignore)
    return result
  }
}

function ignore(): void {}
