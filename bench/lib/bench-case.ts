import type { Sandbox } from "./sandbox.ts"

/** One question about speed. Both sides of every ratio are measured in the same run, in turns. */
export interface BenchCase {
  readonly name: string
  readonly summary: string
  run(bench: Bench): Promise<Finding[]>
}

export interface Bench {
  readonly sandbox: Sandbox
  /** Built at the first call: the one executable file that users get. */
  binary(): Promise<string>
  /** Tells how far the run is. */
  say(line: string): void
}

export interface Finding {
  readonly what: string
  readonly value: number
  readonly unit: "x" | "ms" | "MB" | "%" | "/s" | "runs"
  /** Without one the figure is for information. */
  readonly limit?: { readonly atMost: number } | { readonly atLeast: number }
  /** The absolute figures behind it. */
  readonly figures?: string
}

export function isMissed({ value, limit }: Finding): boolean {
  if (limit === undefined) return false
  return "atMost" in limit ? !(value <= limit.atMost) : !(value >= limit.atLeast)
}
