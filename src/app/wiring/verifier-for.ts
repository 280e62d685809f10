import type { Verifier } from "../../quality/verify/verifier.ts"
import type { Session } from "../command.ts"
import { findRoles } from "./find-roles.ts"

export async function verifierFor(
  session: Session,
  input: { readonly again?: boolean; readonly folder?: string; readonly signal?: AbortSignal },
): Promise<Verifier> {
  const { host, configured, context } = session
  const folder = input.folder ?? host.io.cwd
  const { gates, merging } = await configured()
  const { repository, settings, runner } = await gates(folder)
  return {
    place: await (await merging(folder)).merges.place(),
    context: await context(),
    repository,
    settings,
    roles: (await findRoles(session)).roles,
    runner: { ...runner, again: input.again === true, signal: input.signal ?? host.io.interrupted },
  }
}
