/** A text or file that belongs to the team and not to one task: what was learned, role specs, artifacts, discussions. */
export interface Document {
  /** Where it lies in the team's folder, with `/` between the parts: `wisdom/learnings.md`. */
  readonly path: string
  readonly content: string
  /** `base64` for what is no text. */
  readonly encoding: "utf8" | "base64"
  readonly by: string
  readonly createdAt: string
  readonly updatedAt: string
}
