import * as v from "valibot"
import { choice, type Fields, flag, text } from "../../lib/schema.ts"

export const GLOBAL_FIELDS = {
  project: v.optional(text("project name; the repository's folder by default")),
  team: v.optional(text("team name; the branch by default")),
  store: v.optional(text("sqlite:PATH or postgres://...; a file in the home by default")),
  format: v.optional(choice(["json", "table"], "json for programs (default in a pipe), table for people")),
  json: flag("the same as --format json, errors included"),
  help: flag("show this help"),
} satisfies Fields

/** Detected when the caller leaves them out. */
export const DETECTED_FIELDS: readonly string[] = ["project", "team", "terminalId"]
