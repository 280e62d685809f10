import { copyFileSync, cpSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Copies a session to where its program looks for it in another folder, from the newest place that fits the pattern.
 * Nothing where there is none: the program then says itself that it does not know the session.
 */
export function carrySession({ from, to }: { readonly from: string; readonly to: string }): void {
  const found = [...new Bun.Glob(from.replace(/^\//, "")).scanSync({ cwd: "/", absolute: true, dot: true })]
  const [newest] = found.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  if (newest === undefined || newest === to) return
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  copyFileSync(newest, to)
  // What the session keeps beside its file, such as long outputs of tools.
  const beside = newest.replace(/\.jsonl$/, "")
  if (beside !== newest && statSync(beside, { throwIfNoEntry: false })?.isDirectory() === true)
    cpSync(beside, to.replace(/\.jsonl$/, ""), { recursive: true })
}
