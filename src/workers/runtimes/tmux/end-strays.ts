import { makeTmuxServer } from "./server.ts"

/**
 * Panes on the server of a home that belong to no worker that anybody knows: of teams that were purged, or of whoever was
 * killed while starting one. In words; ended only when asked to.
 */
export async function endStrays(
  { home, env }: { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> },
  { isKnown, fix }: { readonly isKnown: (owner: string) => boolean; readonly fix: boolean },
): Promise<string[]> {
  const server = makeTmuxServer(home, env)
  const strays = (await server.panes()).filter((pane) => !isKnown(pane.owner))
  for (const { id } of fix ? strays : []) await server.run([["kill-pane", "-t", id]])
  return strays.map(({ id, session, owner }) => `pane ${id} of ${session}${owner === "" ? "" : ` (${owner})`}`)
}
