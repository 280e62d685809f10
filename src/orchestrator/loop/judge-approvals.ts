import { AppError } from "../../kernel/errors.ts"
import type { TeamName } from "../../kernel/team.ts"
import { type Approval, nameApproval } from "../../requests/approval.ts"
import { approveByRule, decideApproval } from "../../requests/operations/approvals.ts"
import type { OrchestratorPorts } from "./engine-ports.ts"

/** Beside the loop, because an agent may take long. */
export function makeApprovalJudge(
  { context, judgeApproval, say }: OrchestratorPorts,
  name: TeamName,
): { begin(approval: Approval): void; readonly ended: Promise<void> } {
  const underWay = new Map<number, Promise<void>>()
  /** They wait for a person. */
  const unanswered = new Set<number>()

  async function decide(approval: Approval): Promise<void> {
    const ask = async () => judgeApproval?.(approval)
    const first = await ask()
    const ruling = first !== undefined && "why" in first ? await ask() : first
    if (ruling === undefined) return void (await approveByRule(context, name, approval))
    if ("why" in ruling) {
      unanswered.add(approval.number)
      const { number } = approval
      say(
        `${nameApproval(approval)} waits for you, since no agent answered (${ruling.why}): teamwork approve ${number}, or teamwork reject ${number} --reason WHY`,
      )
      return
    }
    const status = ruling.isApproved ? "approved" : "rejected"
    const decision = { ...name, number: approval.number, owner: ruling.by, status, reason: ruling.reason } as const
    await decideApproval(context, decision)
  }

  return {
    begin(approval) {
      if (underWay.has(approval.number) || unanswered.has(approval.number)) return
      const work = decide(approval)
        .catch((error) => {
          // A person decided first, or it was withdrawn.
          if (error instanceof AppError && error.code === "approval.decided") return
          say(`${nameApproval(approval)} was not decided: ${error instanceof Error ? error.message : error}`)
        })
        .finally(() => underWay.delete(approval.number))
      underWay.set(approval.number, work)
    },
    get ended() {
      return Promise.all(underWay.values()).then(() => undefined)
    },
  }
}
