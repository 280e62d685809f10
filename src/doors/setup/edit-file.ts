import { AppError } from "../../kernel/errors.ts"
import type { HostFile } from "./host-files.ts"
import { addEntry, JsonRefusal, removeEntry } from "./json-entries.ts"
import { BlockRefusal, putBlock, takeBlock } from "./marked-block.ts"

/** Null where there is no file. */
export type Content = Buffer | null

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

/** The file as it was before `putInto`, where nothing else changed. */
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

/** Runs before any write: if one file cannot be edited, none is changed. */
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

/** Every version begins with the same line. */
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

/** With two tables of one name, or an addition to a closed one, the program could no longer read its settings. */
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
