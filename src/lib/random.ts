/** A fresh number from 0 up to `limit`, for jitter. Nothing that is stored may depend on it. */
export function jitter(limit: number): number {
  return Math.random() * limit
}
