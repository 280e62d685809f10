/** A text or file of the team, not of one task: wisdom, role specs, artifacts, discussions. */
export interface Document {
  /** Its path in the team's folder, separated by `/`: `wisdom/learnings.md`. */
  readonly path: string
  readonly content: string
  /** `base64` for binary content. */
  readonly encoding: "utf8" | "base64"
  readonly by: string
  readonly createdAt: string
  readonly updatedAt: string
}
