import { command, type Outcome, type Session } from "../../app/command.ts"
import { readTrust } from "../../app/config/trusted-settings.ts"
import { findStanding, grant, showPrograms, writeTrust } from "../../app/wiring/trust-here.ts"
import { AppError } from "../../kernel/errors.ts"
import { isWorkerMark } from "../../lib/process/worker-mark.ts"
import { flag } from "../../lib/schema.ts"

export const trust = command({
  summary: "Show the programs that this repository would start, and agree to them once",
  fields: {
    yes: flag("agree without being asked"),
    list: flag("show what was agreed to, for all repositories"),
    remove: flag("take back what was agreed to for this repository"),
  },
  example: "teamwork trust",
  async run(session, { yes, list, remove }) {
    if (list === true && (yes === true || remove === true))
      throw new AppError("usage", (say) => `${say.field("list")} only shows; leave the other flags out`)
    if (list === true) return listTrust(session)
    if (Object.keys(session.host.env).some(isWorkerMark))
      throw new AppError("call.not_allowed", "an agent of a worker cannot agree to programs; only a person can")
    const standing = await findStanding(session, { folder: session.host.io.cwd })
    if (standing === undefined)
      throw new AppError("workspace.no_repository", `${session.host.io.cwd} is in no git repository with a commit`)
    const { repository, home, programs, unknown, hasUntrusted } = standing
    if (remove === true) {
      const { [repository]: removed, ...rest } = readTrust(home)
      writeTrust(home, rest)
      const text =
        removed === undefined ? "There was nothing to take back" : `Took back what was agreed to for ${repository}`
      return { data: { repository, removed: removed !== undefined }, text: () => text }
    }
    const isKnown = unknown.length === 0 && !hasUntrusted
    const isAgreed = isKnown || yes === true || (await ask(session, programs.length))
    if (isAgreed && !isKnown) await grant(session, standing)
    const shown = programs.length === 0 ? "This repository would start no program" : showPrograms(programs)
    const how = isAgreed ? "Agreed." : "Not agreed; agree with: teamwork trust --yes"
    return {
      data: { repository, agreed: isAgreed, programs },
      text: () => (session.host.io.canAsk && yes !== true && !isKnown ? how : `${shown}\n${how}`),
      exitCode: isAgreed ? 0 : 1,
    }

    async function ask({ host, isJson }: Session, count: number): Promise<boolean> {
      if (!host.io.canAsk || isJson) return false
      host.io.err(count === 0 ? "This repository would start no program" : showPrograms(programs))
      const answer = (await host.io.ask("\nAgree to all of it? [y/N] "))?.trim().toLowerCase()
      return answer === "y" || answer === "yes"
    }
  },
})

async function listTrust(session: Session): Promise<Outcome> {
  const { home } = await session.configured()
  const found = Object.entries(readTrust(home)).map(([repository, { shown, at }]) => ({
    repository,
    at,
    programs: shown,
  }))
  const text = found.flatMap(({ repository, at, programs }) => [
    `${repository}, ${at}`,
    ...programs.map((each) => `  ${each}`),
  ])
  return { data: found, text: () => (found.length === 0 ? "Nothing was agreed to yet" : text.join("\n")) }
}
