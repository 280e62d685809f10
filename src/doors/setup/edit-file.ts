import { AppError } from "../../kernel/errors.ts"
import type { HostFile } from "./host-files.ts"
import { addEntry, JsonRefusal, removeEntry } from "./json-entries.ts"
import { BlockRefusal, putBlock, takeBlock } from "./marked-block.ts"

/** A file's bytes; null where there is none. */
export type Content = Buffer | null

/** The file with what a host needs in it. */
export function putInto(file: HostFile, before: Content): Content {
  return edit(file, before, () => {
    switch (file.kind) {
      case "json": {
        let text = before === null ? null : readJson(before)
        for (const entry of file.entries) text = addEntry(text, entry)
        return text === null ? null : Buffer.from(text)
      }
      case "block":
        return checkToml(
          file,
          Buffer.from(putBlock(before?.toString("latin1") ?? null, file.marks, file.lines), "latin1"),
        )
      case "whole":
        if (before !== null && !isMade(before, file.text)) throw new Refused("another program wrote it")
        return Buffer.from(file.text)
    }
  })
}

/** The file without it, as it was before where nothing else changed. */
export function takeFrom(file: HostFile, before: Content): Content {
  if (before === null) return null
  return edit(file, before, () => {
    switch (file.kind) {
      case "json": {
        let text: string | null = readJson(before)
        for (const entry of [...file.entries].reverse()) if (text !== null) text = removeEntry(text, entry)
        return text === null ? null : Buffer.from(text)
      }
      case "block": {
        const bytes = takeBlock(before.toString("latin1"), file.marks)
        return bytes === null ? null : Buffer.from(bytes, "latin1")
      }
      case "whole":
        return isMade(before, file.text) ? null : before
    }
  })
}

class Refused extends Error {}

/** Before anything is written, so nothing is changed when one of the files cannot be edited. */
function edit({ path }: HostFile, before: Content, make: () => Content): Content {
  try {
    const after = make()
    return after !== null && before?.equals(after) === true ? before : after
  } catch (error) {
    if (!(error instanceof Refused || error instanceof JsonRefusal || error instanceof BlockRefusal)) throw error
    throw new AppError(
      "init.refused",
      `${path} cannot be edited: ${error.message}; change it by hand, nothing was written`,
      {
        file: path,
      },
    )
  }
}

/** Its first line says whose it is, in every version. */
function isMade(content: Buffer, text: string): boolean {
  const [first = ""] = text.split("\n", 1)
  return content.toString("utf8").startsWith(`${first}\n`)
}

function readJson(content: Buffer): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content)
    JSON.parse(text)
    return text
  } catch {
    throw new Refused("it is not plain JSON, or has comments, which would be lost")
  }
}

/** Two tables of one name, or one that was closed: the program would no longer read its own settings. */
function checkToml(file: HostFile, after: Buffer): Buffer {
  if (file.kind !== "block" || file.isToml !== true) return after
  try {
    Bun.TOML.parse(after.toString("utf8"))
  } catch (error) {
    const why = error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : ""
    throw new Refused(`with teamwork's tables it would be no valid TOML (${why})`)
  }
  return after
}
