import { command } from "../../app/command.ts"
import { AppError } from "../../kernel/errors.ts"
import { flag } from "../../lib/schema.ts"
import { idField } from "../../store/operation.ts"
import { type Linked, linkProject, unlinkProject } from "../operations/link-project.ts"

export const link = command({
  summary: "Attach this repository to a project of another one, such as a clone; with remove, detach it",
  fields: {
    name: idField("the project; see: teamwork project list"),
    remove: flag("detach it again; branches and pins stay in the repository"),
  },
  positional: ["name"],
  example: "teamwork link api",
  async run({ host, configured, context }, { name, remove }) {
    const { projects } = await configured()
    const place = await projects?.settle(host.io.cwd)
    if (place === undefined)
      throw new AppError("workspace.no_repository", "no git repository here; call this from inside of one")
    const change = remove === true ? unlinkProject : linkProject
    const linked = await change(await context(), { project: name, place })
    return { data: linked, text: () => (remove === true ? sayUnlinked(linked) : sayLinked(linked)) }
  },
})

function sayLinked({ project, folder, changed }: Linked): string {
  return changed
    ? `${folder} is attached to project ${project}; undo it with: teamwork link ${project} --remove`
    : `${folder} is attached to project ${project} already`
}

function sayUnlinked({ project, folder, defaultProject }: Linked): string {
  const now = defaultProject === null ? "" : `; commands there are about ${defaultProject} now`
  return `${folder} is no longer attached to project ${project}${now}`
}
