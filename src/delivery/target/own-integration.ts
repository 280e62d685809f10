import type { Merges } from "../../git/port.ts"
import type { TeamName } from "../../kernel/team.ts"
import type { Context } from "../../store/operation.ts"
import { resolveRun } from "../../tasks/operations/lookup.ts"
import { findOwnIntegration, noteIntegration } from "../merge-queue/open-integration.ts"
import type { OwnIntegration } from "./deliver.ts"

/** The integration branch without foreign commits. */
export function makeOwnIntegration(context: Context, merges: Merges, asked: TeamName): OwnIntegration {
  return {
    find: async () => findOwnIntegration(context, merges, await resolveRun(context, asked)),
    moved: async (integration) =>
      noteIntegration(context, merges, { name: await resolveRun(context, asked), integration }),
  }
}
