import type { TaskId } from "../kernel/ids.ts"
import { findMatch } from "../ownership/file-pattern.ts"
import { listReachable } from "../tasks/layers.ts"
import { findPaths } from "./complexity/paths-in-text.ts"
import type { PlanTask } from "./plan.ts"

/**
 * Adds needs that follow from the content: type definitions before the code that imports them, a schema before its
 * API. Skips tasks that already wait for each other.
 */
export function orderByRules(given: readonly PlanTask[]): { tasks: readonly PlanTask[]; notes: readonly string[] } {
  const types = given.filter(definesTypes)
  const schemas = given.filter(definesSchema)
  if (types.length + schemas.length === 0) return { tasks: given, notes: [] }
  const needs = new Map<string, TaskId[]>(given.map((task) => [task.id, [...task.needs]]))
  const waitsFor = (task: string, other: string) => listReachable(task, (id) => needs.get(id) ?? []).has(other)
  const notes: string[] = []
  const add = (task: PlanTask, before: PlanTask, why: string) => {
    if (task.id === before.id || waitsFor(task.id, before.id) || waitsFor(before.id, task.id)) return
    needs.get(task.id)?.push(before.id)
    notes.push(`task ${task.id} waits for ${before.id}: ${why}`)
  }
  for (const task of given) {
    if (schemas.length > 0 && servesApi(task) && !definesSchema(task))
      for (const schema of schemas) add(task, schema, "a schema comes before the API on top of it")
    if (types.length === 0 || definesTypes(task)) continue
    const named = findPaths(`${task.title}\n${task.description}\n${task.acceptance.join("\n")}`)
    for (const each of types) {
      const file = named.find((path) => findMatch(path, each.files) !== undefined)
      if (file !== undefined) add(task, each, `it uses ${file}, which ${each.id} defines`)
    }
  }
  return { tasks: given.map((task) => ({ ...task, needs: needs.get(task.id) ?? task.needs })), notes }
}

const TYPE_FILES =
  /(?:^|\/)(?:types|interfaces|contracts)(?:\/|\.[cm]?[jt]sx?$|$)|\.d\.[cm]?ts$|\.(?:types|interfaces)\.[cm]?ts$/i
const SCHEMA_FILES = /(?:^|\/)(?:schemas?|migrations?)(?:\/|\.\w+$|$)|\.(?:sql|prisma|graphql|gql|proto)$/i
const API_FILES = /(?:^|\/)(?:api|routes?|endpoints?|controllers?|handlers?|resolvers?)(?:\/|\.\w+$|$)/i

const TYPE_WORDS =
  /\btypes?(?: and interfaces?)? (?:definitions?|declarations?)\b|\b(?:define|declare)\b.{0,40}\b(?:types|interfaces)\b/i
const SCHEMA_WORDS = /\b(?:database |db |sql |graphql )?schemas?\b|\bmigrations?\b/i
const API_WORDS = /\b(?:apis?|endpoints?|routes|controllers?|resolvers?)\b/i

function definesTypes({ title, files, role }: PlanTask): boolean {
  if (role === "review" || files.length === 0) return false
  return files.every((pattern) => TYPE_FILES.test(pattern)) || TYPE_WORDS.test(title)
}

function definesSchema({ title, files, role }: PlanTask): boolean {
  if (LOOKS_BACK.includes(role)) return false
  if (files.length > 0) return files.every((pattern) => SCHEMA_FILES.test(pattern))
  return SCHEMA_WORDS.test(title) && !API_WORDS.test(title)
}

function servesApi({ title, files, role }: PlanTask): boolean {
  if (LOOKS_BACK.includes(role)) return false
  return API_WORDS.test(title) || files.some((pattern) => API_FILES.test(pattern))
}

/** They work on results of others, and name their needs themselves. */
const LOOKS_BACK: readonly string[] = ["test", "docs", "review"]
