export const EFFORTS = ["low", "medium", "high"] as const
export type Effort = (typeof EFFORTS)[number]
