import { AppError } from "../kernel/errors.ts"
import type { Check } from "./verdict.ts"

/** What a reviewer found wrong. */
export interface Finding {
  /** The task it concerns; null for the work as a whole. */
  readonly task: string | null
  readonly file: string | null
  readonly severity: Severity
  readonly text: string
}

const SEVERITIES = ["high", "medium", "low"] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Review {
  readonly isPassed: boolean
  readonly findings: readonly Finding[]
}

/** How a reviewer answers. Every field is required, since some programs allow no others. */
export const REVIEW_SCHEMA = {
  type: "object",
  properties: {
    verdict: { type: "string", enum: ["PASS", "FAIL"] },
    findings: {
      type: "array",
      items: {
        type: "object",
        properties: {
          task: { type: ["string", "null"], description: "id of the task it concerns; null for the whole" },
          file: { type: ["string", "null"], description: "path from the top of the repository" },
          severity: { type: "string", enum: [...SEVERITIES] },
          text: { type: "string", description: "what is wrong, why, and what would be right" },
        },
        required: ["task", "file", "severity", "text"],
        additionalProperties: false,
      },
    },
  },
  required: ["verdict", "findings"],
  additionalProperties: false,
} as const

/** Reads an answer; foreign text, so nothing of its shape is taken for granted. */
export function parseReview(answer: unknown, isTask: (id: string) => boolean): Review {
  const { verdict, findings } = asRecord(answer) ?? {}
  if ((verdict !== "PASS" && verdict !== "FAIL") || !Array.isArray(findings)) {
    throw new AppError("agent.failed", "the answer of the reviewer has no verdict PASS or FAIL with findings")
  }
  const found = findings.flatMap((each) => parseFinding(each, isTask))
  if (verdict === "PASS" || found.length > 0) return { isPassed: verdict === "PASS", findings: found }
  const text = "the reviewer says FAIL and names no finding: look for what is wrong or missing as a whole"
  return { isPassed: false, findings: [{ task: null, file: null, severity: "high", text }] }
}

function parseFinding(value: unknown, isTask: (id: string) => boolean): Finding[] {
  const { task, file, severity, text } = asRecord(value) ?? {}
  if (typeof text !== "string" || text.trim() === "") return []
  // Many write it as people do.
  const id = typeof task === "string" ? task.trim().replace(/^(?:task )?#?/i, "") : ""
  const known = typeof task === "string" && isTask(task.trim()) ? task.trim() : id
  return [
    {
      task: isTask(known) ? known : null,
      file: typeof file === "string" && file.trim() !== "" ? file.trim() : null,
      severity: SEVERITIES.find((each) => each === severity) ?? "medium",
      text: text.trim(),
    },
  ]
}

export function describeFinding({ task, file, severity, text }: Finding): string {
  const where = [...(task === null ? [] : [`task ${task}`]), ...(file === null ? [] : [file])]
  return `${severity}: ${where.length === 0 ? "" : `${where.join(", ")}: `}${text}`
}

const WHOLE = "whole"

/** Findings as checks of a verdict, one for each task they concern, by which `findingsOf` knows them again. */
export function checksOf(findings: readonly Finding[]): Check[] {
  const groups = Map.groupBy(findings, ({ task }) => task)
  return [...groups].map(([task, some]) => ({
    name: task === null ? WHOLE : `task ${task}`,
    status: "failed",
    evidence: some.map((finding) => `- ${describeFinding({ ...finding, task: null })}`).join("\n"),
  }))
}

/** What a failed review found, by the task it concerns; null for the work as a whole. */
export function findingsOf(checks: readonly Check[]): { readonly task: string | null; readonly text: string }[] {
  return checks.flatMap(({ name, status, evidence = "" }) => {
    if (status !== "failed") return []
    const task = /^task (.+)$/.exec(name)?.[1] ?? null
    return task === null && name !== WHOLE ? [] : [{ task, text: evidence }]
  })
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined
}
