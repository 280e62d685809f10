import { command, fromOperation, type Session } from "../../app/command.ts"
import { PERSON } from "../../kernel/actor.ts"
import { commaList, teamFields, textField } from "../../store/operation.ts"
import { byField } from "../../store/records.ts"
import { getExploration, listExplorations, putExploration, sayCleared } from "../effects/explore.ts"
import type { Exploration } from "../exploration.ts"
import { angleField, clearExplorations } from "../operations/explorations.ts"
import { renderExploration, renderExplorations } from "../views/knowledge-view.ts"

const putInput = {
  ...teamFields,
  angle: angleField,
  summary: textField("what was found out", 100_000),
  files: commaList(textField("file"), "files and folders that were read, from the repository's root; . for all"),
  by: byField("who explored"),
}

export const explorePut = command({
  summary: "Keep what was found out about the repository while the files stay the same",
  fields: putInput,
  example: 'teamwork explore put --angle "how errors are reported" --summary "..." --files src/errors.ts,docs',
  async run(session, { by = PERSON, ...given }) {
    const kept = await putExploration(await session.context(), await repositoryHere(session), { ...given, by })
    return { data: forPrograms(kept), text: () => `Kept: ${renderExploration(kept)}` }
  },
})

const getInput = { ...teamFields, angle: angleField }

export const exploreGet = command({
  summary: "Get what is known from an angle; fails when the files have changed",
  fields: getInput,
  positional: ["angle"],
  example: 'teamwork explore get --angle "how errors are reported"',
  async run(session, which) {
    const found = await getExploration(await session.context(), await repositoryHere(session), which)
    return { data: forPrograms(found), text: () => renderExploration(found) }
  },
})

export const exploreList = command({
  summary: "List explorations and whether each still holds here",
  fields: { ...teamFields },
  async run(session, team) {
    const listed = await listExplorations(await session.context(), await repositoryHere(session), team)
    return {
      data: listed.explorations.map(forPrograms),
      text: (screen) => renderExplorations(listed.explorations, screen),
      warnings: listed.cleared.map(sayCleared),
    }
  },
})

export const exploreClear = fromOperation(clearExplorations, {
  positional: ["angle"],
  text: ({ cleared }) => `Cleared ${cleared} ${cleared === 1 ? "exploration" : "explorations"}`,
})

async function repositoryHere({ host, configured }: Session) {
  return (await (await configured()).gates(host.io.cwd)).repository
}

/** Paths as values, not as names of fields. */
function forPrograms<E extends Exploration>({ files, ...exploration }: E) {
  return { ...exploration, files: Object.entries(files).map(([path, id]) => ({ path, id })) }
}
