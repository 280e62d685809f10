import { readFileSync } from "node:fs"
import { type Env, variable } from "./environment.ts"
import { SHARED_BY_DEFAULT } from "./shared-by-default.ts"

/**
 * The setting `ownership.shared`, where it is plain to see that nobody changed it: known without loading all settings.
 * Undefined where somebody may have.
 */
export function sharedUnlessSet(env: Env, files: readonly string[]): readonly string[] | undefined {
  const isSet = variable(env, "TEAMWORK_OWNERSHIP_SHARED") !== undefined || files.some(maySetIt)
  return isSet ? undefined : SHARED_BY_DEFAULT
}

function maySetIt(file: string): boolean {
  try {
    const text = readFileSync(file, "utf8")
    // A letter may be written as its number.
    return text.includes("shared") || text.includes("\\")
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOENT")
  }
}
