import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { AppError } from "../../kernel/errors.ts"
import { dirname } from "../../lib/paths.ts"
import { isWorkerMark } from "../../lib/process/worker-mark.ts"
import type { Session } from "../command.ts"
import {
  hashOf,
  readTrust,
  repositoryKey,
  type TrustFile,
  type TrustRecord,
  trustFileOf,
  trustsAll,
} from "../config/trusted-settings.ts"
import { listPrograms, listSteps, type ProgramToStart } from "./programs-here.ts"

interface Asked {
  readonly folder: string
  /** By a flag. */
  readonly isAgreed?: boolean | undefined
}

export interface Standing {
  readonly repository: string
  readonly home: string
  readonly programs: readonly ProgramToStart[]
  readonly unknown: readonly ProgramToStart[]
  readonly settings: string
  readonly hasUntrusted: boolean
}

/**
 * Call before starting programs of a repository: throws unless a person has agreed, or agrees now, to each of them.
 * Workers and their agents need no consent of their own: the person who started the run gave it.
 */
export async function trustHere(session: Session, asked: Asked): Promise<void> {
  const { host } = session
  if (trustsAll(host.env) || Object.keys(host.env).some(isWorkerMark)) return
  const standing = await findStanding(session, asked)
  if (standing === undefined || (standing.unknown.length === 0 && !standing.hasUntrusted)) return
  if (asked.isAgreed === true) return grant(session, standing)
  if (host.io.canAsk && !session.isJson) {
    host.io.err(showPrograms(standing.unknown))
    const answer = (await host.io.ask("\nStart these programs of the repository? [y/N] "))?.trim().toLowerCase()
    if (answer === "y" || answer === "yes") return grant(session, standing)
  }
  throw refusal(standing)
}

/** Undefined without a checkout; others report that. */
export async function findStanding(session: Session, { folder }: Pick<Asked, "folder">): Promise<Standing | undefined> {
  const { gates, home, ownSettings, setup: readSetup } = await session.configured()
  const setup = await gates(folder).catch((error: unknown) => {
    if (error instanceof AppError) return undefined
    throw error
  })
  if (setup === undefined) return undefined
  const repository = repositoryKey(setup.repository.folder)
  const programs = [...(await listPrograms(setup, ownSettings)), ...listSteps(await readSetup(folder))]
  const known = new Set(readTrust(home)[repository]?.programs)
  return {
    repository,
    home,
    programs,
    unknown: programs.filter((each) => !known.has(hashOf(each))),
    settings: hashOf(ownSettings.needTrust),
    hasUntrusted: ownSettings.untrusted.length > 0,
  }
}

export async function grant(session: Session, { repository, home, programs, settings }: Standing): Promise<void> {
  const record: TrustRecord = {
    settings,
    programs: programs.map(hashOf),
    shown: programs.map(sayProgram),
    at: new Date(session.host.clock.now()).toISOString(),
  }
  writeTrust(home, { ...readTrust(home), [repository]: record })
  // Trusted settings now apply.
  await session.reconfigure?.()
}

/** Atomic, and readable only by the user. */
export function writeTrust(home: string, trust: TrustFile): void {
  const file = trustFileOf(home)
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(trust, null, 2)}\n`, { mode: 0o600 })
  renameSync(draft, file)
}

function sayProgram({ what, line, from }: ProgramToStart): string {
  return `${what}: ${line} (${from})`
}

export function showPrograms(programs: readonly ProgramToStart[]): string {
  const lines = programs.flatMap((each) => [
    `  ${sayProgram(each)}`,
    ...(each.script ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => `      ${line}`),
  ])
  return ["This repository would start:", ...lines].join("\n")
}

function refusal({ unknown, programs }: Standing): AppError {
  const told = (unknown.length > 0 ? unknown : programs).map(sayProgram)
  const list =
    told.length > MAX_TOLD
      ? `${told.slice(0, MAX_TOLD).join(", ")} and ${told.length - MAX_TOLD} more`
      : told.join(", ")
  return new AppError(
    "trust.needed",
    `this repository would start programs that you have not agreed to: ${list}; nothing was changed`,
    { programs: told },
    { remedy: { operation: "trust", fields: { yes: true }, to: "agree with" } },
  )
}

const MAX_TOLD = 5
