import { systemClock } from "../lib/clock.ts"
import type { Git } from "./git.ts"
import { mayWriteObjects, writeObject } from "./write-object.ts"

export interface NewCommit {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** `name <address>` */
  readonly author: string
  readonly committer: string
}

/**
 * Writes a commit as git would, without starting it; its id, or undefined where git has to do it: with other hashes, and
 * where several users share the repository and files need other rights.
 */
export async function writeCommit(git: Git, commit: NewCommit): Promise<string | undefined> {
  const { commonDir } = await git.places()
  if (commit.tree.length !== 40 || commit.message.includes("\0") || !mayWriteObjects(commonDir)) return undefined
  return writeObject(commonDir, "commit", Buffer.from(textOf(commit, systemClock.now())))
}

function textOf({ tree, parents, message, author, committer }: NewCommit, now: number): string {
  const time = `${Math.floor(now / 1000)} ${zone(new Date(now).getTimezoneOffset())}`
  const lines = [
    `tree ${tree}`,
    // As git does with one that is named twice.
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${author} ${time}`,
    `committer ${committer} ${time}`,
  ]
  return `${lines.join("\n")}\n\n${message}`
}

/** Minutes that the clock is behind, as git writes them. */
function zone(behind: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(behind) / 60), Math.abs(behind) % 60]
  return `${behind > 0 ? "-" : "+"}${String(hours).padStart(2, "0")}${String(minutes).padStart(2, "0")}`
}
