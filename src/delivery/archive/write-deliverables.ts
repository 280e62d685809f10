import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { integrationBranch } from "../../kernel/branches.ts"
import { AppError } from "../../kernel/errors.ts"
import { quoteInput } from "../../kernel/ids.ts"
import { codeOf } from "../../lib/error-code.ts"
import type { GateRepository } from "../../quality/gates/port.ts"
import { listDelivered } from "../deliverables.ts"
import type { DeliveredWork } from "../operations/read-deliverables.ts"
import { deliverableFiles, INDEX } from "../views/deliverables-view.ts"

/** Writes to a folder that is empty or has earlier deliverables. Returns the paths. */
export async function writeDeliverables(
  work: DeliveredWork,
  { folder, repository }: { readonly folder: string; readonly repository: GateRepository | undefined },
): Promise<string[]> {
  assertOurs(folder)
  const { team, deliverables } = work
  const paths = ["package.json", ...listDelivered(deliverables)]
  const texts = repository === undefined ? new Map() : await readTexts(repository, integrationBranch(team), paths)
  const files = deliverableFiles(team.goal, deliverables, (path) => texts.get(path))
  for (const { path, content } of files) write(join(folder, path), content)
  return files.map(({ path }) => path)
}

function write(file: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, content, { mode: 0o600 })
  } catch (error) {
    const why = codeOf(error) ?? String(error)
    throw new AppError("export.failed", `${quoteInput(file)} cannot be written (${why})`, { file }, { cause: error })
  }
}

function assertOurs(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory()) throw new AppError("input.invalid", `${quoteInput(folder)} is not a folder`)
  const names = readdirSync(folder)
  if (names.length === 0 || names.includes(INDEX)) return
  throw new AppError("input.invalid", `${quoteInput(folder)} is not empty; name a new folder`, { folder })
}

const MAX_CHARACTERS = 5_000_000

/** As merged, or as on the present branch where nothing was merged. Leaves out binary files. */
async function readTexts(repository: GateRepository, branch: string, paths: readonly string[]) {
  const texts = new Map<string, string>()
  const found = (await repository.find(branch)) ?? (await repository.find("HEAD"))
  if (found === undefined) return texts
  const tree = repository.openTree(found.tree)
  for (const path of paths) {
    const names = await tree.list(path.includes("/") ? dirname(path) : "")
    if (path.split("/").includes("..") || !names.includes(path.slice(path.lastIndexOf("/") + 1))) continue
    const text = await tree.read(path)
    if (text.length <= MAX_CHARACTERS && !/[\0\uFFFD]/.test(text)) texts.set(path, `${text}\n`)
  }
  return texts
}
