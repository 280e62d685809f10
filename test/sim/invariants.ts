// What must hold after every step, whatever happened: I1 to I8 and I10 of the design. I9 is that the same seed gives the
// same history, which whoever runs a seed twice can see.

import { branchRef, integrationBranch, pinRef } from "../../src/kernel/branches.ts"
import { hasEnded, type Task } from "../../src/tasks/task.ts"
import { type PlainEvent, plainEvents } from "../support/plain-events.ts"
import { OUTAGE, type SimAgents } from "./agents.ts"
import { compareFiles } from "./git/objects.ts"
import type { SimGit } from "./git.ts"
import { failingTests, SIM_TEAM, type SimPlan } from "./plans.ts"
import type { SimStore } from "./store.ts"

class InvariantBroken extends Error {
  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`)
    this.name = "InvariantBroken"
  }
}

export interface Invariants {
  /** After a step. Throws `InvariantBroken`. */
  check(): Promise<void>
  /** When everything has come to its end. */
  checkEnd(): Promise<void>
  readonly events: readonly PlainEvent[]
  /** As the store had them at the last look. */
  readonly tasks: ReadonlyMap<string, Task>
}

export interface Checked {
  readonly store: SimStore
  /** Which run of the team, and where the store has it. */
  readonly run: number
  readonly key: number
  readonly git: SimGit
  readonly plan: SimPlan
  readonly agents: SimAgents
  /** Names of processes that run. */
  readonly running: () => readonly string[]
  /** Whether the process of that number was killed: what it led, the next run takes over. */
  readonly wasKilled: (pid: string) => boolean
}

const INTEGRATION = branchRef(integrationBranch(SIM_TEAM))
const TARGET = "refs/heads/main"
/** What people commit on the target is theirs to answer for. */
export const PERSONS_MESSAGE = "By a person\n"

export function makeInvariants(checked: Checked): Invariants {
  const { store, key, git, plan, agents } = checked
  const { repository } = git
  const { objects } = repository
  const events: PlainEvent[] = []
  let tasks: ReadonlyMap<string, Task> = new Map()
  let cursor: string | undefined
  let commits = -1
  let gitChanges = -1
  let wasForeign = false
  let target = repository.refs.get(TARGET)
  let integration = repository.refs.get(INTEGRATION)
  const redBefore = new Set(failingTests(new Map(Object.entries(plan.files))))
  let shown = 0
  const read = new Set<string>()
  const sent = new Set<string>()
  const tokens = new Map<string, number>()
  const finished = new Set<string>()
  const escalated = new Map<number, PlainEvent>()
  const pending = new Set<number>()
  /** Of tasks; each is good for one way into execution. */
  const approvedPlans = new Set<string>()
  const phases = new Map<string, string>()
  /** Fixes of what did not fit, with the task that they mend. */
  const repairs = new Map<string, string>()
  /** Programs that failed, with the workers whose runs began while they were left out. */
  const leftOut = new Map<string, { readonly until: number; readonly begun: Set<string> }>()
  /** They came to a stop once. */
  const stopped = new Set<string>()

  const fail = (invariant: string, message: string): never => {
    throw new InvariantBroken(invariant, message)
  }

  async function checkStore(): Promise<void> {
    if (store.commits === commits) return
    commits = store.commits
    const look = await store.direct.read(async (tx) => {
      const page = await tx.events.list(key, { after: cursor, limit: 10_000 })
      return { ...page, events: plainEvents(page.events), now: await tx.now(), tasks: await tx.tasks.list(key) }
    })
    cursor = look.cursor
    for (const event of look.events) {
      if (event.seq <= (events.at(-1)?.seq ?? 0)) fail("I2", `event ${event.seq} came twice`)
      events.push(event)
      await checkEvent(event, look.events, look.now)
    }
    checkRepairs(look.tasks)
    for (const { id, status, qa } of look.tasks)
      if ((status === "resolved" || status === "in_review") && qa !== null && qa !== "passed")
        fail("I5", `task ${id} is ${status}, and its QA is ${qa}`)
    tasks = new Map(look.tasks.map((task) => [task.id, task]))
  }

  /**
   * F024: of work that does not fit in the same file, one repair at a time. One that waited for a person may find another
   * when it goes on.
   */
  function checkRepairs(all: readonly Task[]): void {
    const coming = new Map<string, string>()
    for (const { id, status, blockedBy } of all) {
      if (status === "paused" || status === "failed") stopped.add(id)
      const of = repairs.get(id)
      const isComing = status === "open" || status === "in_progress" || status === "in_review"
      if (of === undefined || !isComing || stopped.has(id) || blockedBy.length > 0) continue
      for (const path of plan.tasks.find((task) => task.id === of)?.paths ?? []) {
        const other = coming.get(path)
        if (other !== undefined) fail("F024", `${other} and ${id} mend ${path} at the same time`)
        coming.set(path, id)
      }
    }
  }

  /**
   * F035: a program's fault is nobody else's. Workers are quarantined for their own faults, no task fails because a
   * program is broken, and a program that is left out is not begun again by a worker that was told so.
   */
  function checkPrograms({ type, data, timestamp }: PlainEvent): void {
    if (type === "worker.quarantined") {
      const own = events.filter((each) => each.type === "task.setback" && each.data.worker === data.worker)
      if (!own.some((each) => ["lost", "workspace"].includes(String(each.data.kind))))
        fail("F035", `worker ${data.worker} is quarantined for what was not its fault`)
    }
    if (type === "task.status_changed" && data.to === "failed" && String(data.reason).includes(OUTAGE))
      fail("F035", `task ${data.task} failed because a program was broken: ${data.reason}`)
    const agent = String(data.agent)
    if (type === "agent.left_out") leftOut.set(agent, { until: Date.parse(String(data.until)), begun: new Set() })
    if (type === "agent.taken_back") leftOut.delete(agent)
    const known = type === "run.started" ? leftOut.get(agent) : undefined
    if (known === undefined || Date.parse(timestamp) >= known.until) return
    // A run that was admitted just before is told just after, once.
    if (known.begun.has(String(data.worker))) fail("F035", `${data.worker} ran ${agent} while it was left out`)
    known.begun.add(String(data.worker))
  }

  /** F012: no run is wasted. What was delivered is not done again because its worker stops. */
  function checkGivenBack({ data }: PlainEvent): void {
    const before = tasks.get(String(data.task))
    const isOfWorker = data.kind === "interrupted" || data.kind === "lost"
    if (isOfWorker && before?.status === "in_review" && before.attempt === data.attempt)
      fail("F012", `task ${data.task} was delivered by ${data.worker} and goes back: ${data.reason}`)
  }

  async function checkEvent(event: PlainEvent, together: readonly PlainEvent[], now: number): Promise<void> {
    const { type, data, by } = event
    checkPrograms(event)
    if (type === "task.setback") checkGivenBack(event)
    if (type === "record.added" && data.kind === "escalation") escalated.set(Number(data.number), event)
    if (type === "record.changed" && data.kind === "escalation" && data.status !== "open")
      if (!escalated.delete(Number(data.number))) fail("R211", `escalation ${data.number} was decided twice`)
    if (type === "task.claimed" || type === "task.resolved") checkNotAsked(String(data.task))
    if (type === "task.claimed") checkClaim(event, together, now)
    if (type === "task.resolved") await checkResolved(String(data.task), Number(data.attempt), Number(data.token))
    checkApprovals(event)
    if (type === "run.started" && !events.some((each) => startsExecution(each)))
      fail("I7", `run ${data.run} of ${by} started before execution did`)
    if (type === "verdict.recorded" && data.status === "failed") await checkBlame(data)
    if (type === "task.merge_failed" && data.reason === "conflict" && data.fix !== data.task)
      repairs.set(String(data.fix), String(data.task))
    if (type === "message.sent") {
      if (sent.has(String(data.id))) fail("I10", `message ${data.id} was sent twice`)
      sent.add(String(data.id))
    }
    if (type === "message.read")
      for (const id of data.ids as string[]) {
        if (!sent.has(id)) fail("I10", `message ${id} was read and never sent`)
        if (read.has(id)) fail("I10", `message ${id} was read twice as new`)
        read.add(id)
      }
  }

  /** F003: what was red before, or could not run, is held against nobody. */
  async function checkBlame(data: PlainEvent["data"]): Promise<void> {
    const verdicts = await store.direct.read((tx) => tx.verdicts.list(key))
    const verdict = verdicts.findLast((each) => each.scope === data.scope && each.subject === data.subject)
    if (verdict?.tree === undefined) return
    const failed = verdict.checks.filter((check) => check.status === "failed").map((check) => check.name)
    if (failed.includes("lint_passes"))
      fail("F001", `${data.scope} ${data.subject} failed for a linter that is not there`)
    const { commit } = verdict
    if (commit === undefined || !verdict.checks.some((check) => isTests(check) && check.status === "failed")) return
    const broken = failingTests(objects.files(commit)).filter((name) => !redBefore.has(name))
    if (broken.length === 0) fail("F003", `${data.scope} ${data.subject} failed for what was red before`)
  }

  function isTests({ command }: { readonly command?: string }): boolean {
    return command === "test all"
  }

  /** Nobody goes on with what waits for a decision; only a wait for a rate limit is asked about beside the work. */
  function checkNotAsked(task: string): void {
    for (const { data } of escalated.values())
      if (data.task === task && !String(data.about).startsWith("rate_limited"))
        fail("R211", `task ${task} went on before escalation ${data.number} was decided`)
  }

  /** I7: nothing of a planned task is carried out before its approval, and every question gets one answer at most. */
  function checkApprovals({ type, data, by }: PlainEvent): void {
    const task = String(data.task)
    if (type === "task.phase_changed") {
      const isApproved = data.from === "awaiting_approval" && data.to === "execution"
      if (data.to === "execution" && !isApproved) fail("I7", `task ${task} came to execution from ${data.from}`)
      if (isApproved && !approvedPlans.delete(task))
        fail("I7", `${by} began to execute task ${task} without an approval`)
      phases.set(task, String(data.to))
    }
    if (type === "task.reopened") phases.delete(task)
    const isCarriedOut = type === "task.step" && (data.step === "agent" || data.step === "repair")
    const phase = phases.get(task)
    if (isCarriedOut && phase !== undefined && phase !== "execution" && phase !== "completion")
      fail("I7", `task ${task} is carried out in ${phase}`)
    if (data.kind !== "approval") return
    const number = Number(data.number)
    if (type === "record.added") pending.add(number)
    if (type === "record.changed" && data.status !== "pending") {
      if (!pending.delete(number)) fail("I7", `approval ${number} was decided twice`)
      if (data.status === "approved" && String(data.about).includes("(plan of task")) approvedPlans.add(task)
    }
  }

  function startsExecution({ type, data }: PlainEvent): boolean {
    return type === "team.phase_changed" && data.to === "EXECUTION"
  }

  /** Nobody gets a task that somebody else holds by a lease that lasts. */
  function checkClaim({ seq, by, data }: PlainEvent, together: readonly PlainEvent[], now: number): void {
    const id = String(data.task)
    const token = Number(data.token)
    if (token <= (tokens.get(id) ?? 0)) fail("I1", `task ${id} was claimed with token ${token} once more`)
    tokens.set(id, token)
    const before = tasks.get(id)
    const wasGivenUp = together.some((each) => each.seq < seq && each.data.task === id)
    if (before?.status !== "in_progress" || before.claimedBy === by || wasGivenUp) return
    if (before.leaseUntil !== null && Date.parse(before.leaseUntil) >= now)
      fail("I1", `task ${id} was claimed by ${by} while ${before.claimedBy} held it until ${before.leaseUntil}`)
  }

  async function checkResolved(id: string, attempt: number, token: number): Promise<void> {
    const name = `${id}/${attempt}`
    if (finished.has(name)) fail("I1", `attempt ${name} was resolved twice`)
    finished.add(name)
    if (token !== tokens.get(id)) fail("I1", `task ${id} was resolved with token ${token} of ${tokens.get(id)}`)
    const { verdicts, evidence, task } = await store.direct.read(async (tx) => ({
      verdicts: await tx.verdicts.list(key),
      evidence: await tx.evidence.list(key, id as Task["id"]),
      task: await tx.tasks.find(key, id as Task["id"]),
    }))
    const head = repository.refs.get(pinRef({ ...SIM_TEAM, run: checked.run }, { taskId: id, attempt }, "head"))
    if (head === undefined) return fail("I3", `task ${id} was resolved without a pin of its work`)
    const { tree } = objects.commit(head)
    const own = verdicts.filter((each) => each.scope === "task" && each.subject === id)
    if (!own.some((each) => each.status === "passed" && each.tree === tree))
      fail("I5", `task ${id} was resolved at ${head.slice(0, 10)}, which its gate never passed`)
    const proven = evidence.filter(
      (entry) => entry.attempt === attempt && entry.trust === "attested" && entry.withdrawnAt === null,
    )
    for (const line of task?.checks ?? [])
      if (!proven.some(({ facts }) => facts.command === line && facts.exitCode === 0))
        fail("I5", `task ${id} was resolved and nobody saw "${line}" pass`)
  }

  async function checkGit(): Promise<void> {
    if (repository.changes === gitChanges && repository.dropped.size === 0) return
    gitChanges = repository.changes
    checkKept()
    const [newTarget, newIntegration] = [repository.refs.get(TARGET), repository.refs.get(INTEGRATION)]
    // What others do to the branch is no word of teamwork's; it has to go on from where it was before.
    const isForeign = newIntegration !== undefined && repository.foreign.has(newIntegration)
    // A merge that was not written down yet is lost with the branch, and made again from the pins.
    const isBack = wasForeign && [integration, newIntegration].every((each) => each !== undefined)
    const isEarlier = isBack && objects.contains(integration ?? "", newIntegration ?? "")
    if (newIntegration !== integration && !isForeign && !isEarlier) checkIntegration(integration, newIntegration)
    if (!isForeign) integration = newIntegration
    wasForeign = isForeign
    if (newTarget !== target) await checkTarget(target, newTarget)
    target = newTarget
  }

  function checkKept(): void {
    for (const commit of repository.dropped) {
      const isPinned = [...repository.refs.values()].some((tip) => objects.contains(tip, commit))
      const isLogged = [...repository.worktrees.values()].some(({ log }) =>
        log.some((each) => objects.contains(each, commit)),
      )
      if (!isPinned && !isLogged) fail("I3", `commit ${commit.slice(0, 10)} can be reached no more`)
    }
    repository.dropped.clear()
  }

  async function checkTarget(before: string | undefined, after: string | undefined): Promise<void> {
    if (before === undefined || after === undefined || !objects.contains(after, before))
      return fail("I4", `the target went from ${before?.slice(0, 10)} to ${after?.slice(0, 10)}, which is not forward`)
    for (const commit of repository.foreign)
      if (objects.contains(after, commit)) fail("I6", `${commit.slice(0, 10)} was delivered, which is not teamwork's`)
    const isPersons = objects.commit(after).message === PERSONS_MESSAGE
    if (isPersons) return
    const verdicts = await store.direct.read((tx) => tx.verdicts.list(key))
    const last = verdicts.findLast((each) => each.scope === "final")
    const { tree } = objects.commit(after)
    if (last?.status !== "passed" || last.tree !== tree)
      fail("I4", `the target went to ${after.slice(0, 10)}, which the final gate did not pass`)
    const worse = failingTests(objects.files(after)).filter((name) => !redBefore.has(name))
    // Where the tests were red as a whole and nobody could read them, nobody could tell either.
    const isKnown = plan.base.isReadable || redBefore.size === 0
    if (isKnown && worse.length > 0) fail("I4", `${after.slice(0, 10)} was delivered with ${worse.join(", ")} broken`)
  }

  function checkIntegration(before: string | undefined, after: string | undefined): void {
    if (before === undefined || after === undefined) return
    if (!objects.contains(after, before)) fail("I6", "the integration branch went back")
    // Brought forward to the target, of which I4 speaks.
    if (target !== undefined && objects.contains(target, after)) return
    for (const commit of repository.foreign)
      if (objects.contains(after, commit)) fail("I6", `${commit.slice(0, 10)} was built on, which is not teamwork's`)
    for (let at: string | undefined = after; at !== undefined && at !== before; at = objects.commit(at).parents[0]) {
      const { parents, message } = objects.commit(at)
      const [first, second] = parents
      const task = /^Teamwork-Task: (.+)$/m.exec(message)?.[1]
      if (first === undefined || second === undefined) fail("I6", `${at.slice(0, 10)} came past the merge queue`)
      if (first === undefined || task === undefined) continue
      for (const { path } of compareFiles(objects.files(first), objects.files(at))) {
        const owner = whoseIsIt(task, path)
        if (owner !== undefined) fail("I6", `task ${task} brought ${path}, which is task ${owner}'s`)
      }
    }
  }

  /** The task that a path belongs to, if it is another's. A fix may do what the task may that it mends. */
  function whoseIsIt(id: string, path: string): string | undefined {
    const origin = /^fix-(.+)-\d+$/.exec(id)?.[1] ?? id
    if (origin !== id) return whoseIsIt(origin, path)
    const own = plan.tasks.find((task) => task.id === id)
    const isIn = (files: readonly string[]) => files.some((glob) => path.startsWith(glob.replace(/\*\*$/, "")))
    if (own !== undefined && own.files.length > 0) return isIn(own.files) ? undefined : "somebody else"
    const other = plan.tasks.find((task) => task.id !== id && isIn(task.files))
    const status = other === undefined ? undefined : tasks.get(other.id)?.status
    return status === undefined || hasEnded(status) ? undefined : other?.id
  }

  function checkShown(): void {
    for (; shown < agents.shown.length; shown++) {
      const message = agents.shown[shown]?.message ?? ""
      if (read.has(message)) fail("I10", `message ${message} was shown as new after it was read`)
    }
  }

  return {
    events,
    get tasks() {
      return tasks
    },
    async check() {
      checkShown()
      await checkStore()
      await checkGit()
    },
    async checkEnd() {
      const running = checked.running()
      if (running.length > 0) fail("I8", `${running.join(", ")} still runs`)
      const trees = [...repository.worktrees.keys()]
      if (trees.length > 0) fail("I8", `the worktree of ${trees.join(", ")} is left`)
      if (repository.moving.size > 0) fail("I8", "a move of the target was never brought to its end")
      const { leader, now } = await store.direct.read(async (tx) => ({
        leader: await tx.leaders.find(key),
        now: await tx.now(),
      }))
      const isLed = leader !== undefined && leader.leaseUntil > now && !checked.wasKilled(leader.holder)
      if (isLed) fail("I8", `${leader.holder} leads still`)
      for (const { id, status } of tasks.values()) if (!hasEnded(status)) fail("end", `task ${id} is ${status}`)
    },
  }
}

export interface RunsChecked extends Invariants {
  /** The team goes on with another run: from now on that one is looked at. */
  next(run: Pick<Checked, "run" | "key">): Promise<void>
}

/** The same for each run of a team after the other; and what is closed stays as it is. */
export function checkRuns(first: Checked): RunsChecked {
  const { store } = first
  let current = makeInvariants(first)
  let key = first.key
  const closed: { readonly key: number; readonly events: readonly PlainEvent[]; readonly count: number }[] = []
  const countEvents = async (of: number) =>
    (await store.direct.read((tx) => tx.events.list(of, { limit: 1_000_000 }))).events.length
  return {
    get events() {
      return [...closed.flatMap(({ events }) => events), ...current.events]
    },
    get tasks() {
      return current.tasks
    },
    check: () => current.check(),
    async next(run) {
      await current.check()
      closed.push({ key, events: current.events, count: await countEvents(key) })
      current = makeInvariants({ ...first, ...run })
      key = run.key
    },
    async checkEnd() {
      await current.checkEnd()
      for (const { key: of, count } of closed) {
        const now = await countEvents(of)
        if (now !== count) throw new InvariantBroken("runs", `${now - count} events came into a run that is closed`)
      }
    },
  }
}
