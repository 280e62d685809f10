import type { Config } from "./settings.ts"

export function engineSettings(config: Config) {
  return {
    maxAgents: config("team.maxAgents"),
    watchdogWarningMs: config("team.watchdogWarningMs"),
    watchdogGraceMs: config("team.watchdogGraceMs"),
    watchdogReassignMs: config("team.watchdogReassignMs"),
    freshStartMs: config("team.freshStartIntervalSeconds") * 1000,
    maxConsecutiveErrors: config("team.maxConsecutiveErrors"),
    maxRuns: config("team.maxRunsPerTask"),
    maxRestarts: config("team.maxRestarts"),
    maxTimeoutRestarts: config("team.maxTimeoutRestarts"),
    restartBackoffMs: config("team.restartBackoffSeconds").map((seconds) => seconds * 1000),
    enableCascade: config("team.enableCascade"),
    enableReview: config("team.enableCrossCliVerification"),
    reviewRequired: config("review.required"),
    budget: { tokens: config("budget.teamTokens"), dollars: config("budget.teamDollars") },
    budgetPerWorker: { tokens: config("budget.workerTokens"), dollars: config("budget.workerDollars") },
    leaseMs: config("engine.leaseSeconds") * 1000,
    // 0: no limit.
    shutdownTimeoutMs: config("team.shutdownTimeoutMs") || Number.POSITIVE_INFINITY,
    monitorIntervalMs: config("team.monitorIntervalMs"),
    runtime: config("engine.runtime"),
    files: config("engine.files"),
    notify: { bell: config("notify.bell"), command: config("notify.command") },
    onBlockerFailed: config("team.onBlockerFailed"),
    partialDelivery: config("team.partialDelivery"),
    pmAgent: config("approvals.agent"),
    completionAction: config("completion.action"),
  }
}

function faultLimits(config: Config) {
  return {
    backoffMs: config("team.faultBackoffSeconds").map((seconds) => seconds * 1000),
    leaveOutMs: config("team.faultLeaveOutSeconds") * 1000,
    maxLeaveOutMs: config("team.faultMaxLeaveOutSeconds") * 1000,
  }
}

export function workerSettings(config: Config) {
  const budget = (whose: "task" | "worker" | "team") => ({
    tokens: config(`budget.${whose}Tokens`),
    dollars: config(`budget.${whose}Dollars`),
  })
  return {
    leaseSeconds: config("claim.workerLeaseSeconds"),
    renewSeconds: config("claim.renewSeconds"),
    repairTurns: config("engine.repairTurns"),
    agentTimeoutSeconds: config("team.agentTimeoutSeconds"),
    patience: {
      waitMs: limitOf(config("team.agentWaitSeconds") * 1000),
      silenceMs: limitOf(config("team.agentSilenceSeconds") * 1000),
      sameCalls: limitOf(config("team.maxSameCalls")),
    },
    shutdownTimeoutMs: config("team.shutdownTimeoutMs"),
    maxConsecutiveErrors: config("team.maxConsecutiveErrors"),
    retry: {
      maxRuns: config("team.maxRunsPerTask"),
      maxRestarts: config("team.maxRestarts"),
      maxTimeoutRestarts: config("team.maxTimeoutRestarts"),
    },
    budget: { task: budget("task"), worker: budget("worker"), team: budget("team") },
    faults: faultLimits(config),
    scarcePercent: config("team.scarceQuotaPercent"),
    permission: config("engine.permission"),
    mcp: config("engine.mcp"),
    defaults: { agentType: config("team.defaultAgentType"), tier: config("team.defaultModel") },
  }
}

/** 0: no limit. */
function limitOf(value: number): number | null {
  return value === 0 ? null : value
}
