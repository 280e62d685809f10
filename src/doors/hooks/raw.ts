import type { HookTool } from "./hook-call.ts"

// Without valibot, since the fast path of hooks in src/bin loads this file.

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

export function toolOf(raw: Readonly<Record<string, unknown>>, id: string): HookTool | null {
  if (typeof raw.tool_name !== "string") return null
  return { name: raw.tool_name, input: objectOf(raw.tool_input), id, response: raw.tool_response }
}
