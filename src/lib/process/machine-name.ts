import { hostname } from "node:os"

/** Tells processes of this machine from those of another, which cannot be looked at. */
export function machineName(): string {
  return hostname()
}
