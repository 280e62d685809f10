import { AGENT_KEYS } from "./agent-keys.ts"
import { CORE_KEYS } from "./core-keys.ts"
import { ENGINE_KEYS } from "./engine-keys.ts"
import { NOTIFY_KEYS } from "./notify-keys.ts"
import { DELIVERY_KEYS, GATE_KEYS, WORKSPACE_KEYS } from "./work-keys.ts"

/** The largest delay a timer takes; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2_147_483_647
const LONGEST_TIMER_SECONDS = 2_147_483

/**
 * Every setting there is. Files nest the keys at the dots, and the published JSON Schema is made from this table. A
 * number is a whole number, unless its row says otherwise.
 */
export const CONFIG_KEYS = {
  store: CORE_KEYS.store,
  "defaults.project": CORE_KEYS["defaults.project"],
  "defaults.team": CORE_KEYS["defaults.team"],
  projectsDirectory: {
    type: "string",
    default: "",
    env: "CLAWD_PROJECTS_DIR",
    path: true,
    description: "The folder that holds the project documents; empty means projects in the current folder.",
  },
  "team.maxAgents": {
    type: "number",
    default: 5,
    min: 1,
    max: 64,
    env: "TEAMWORK_TEAM_MAX_AGENTS",
    description: "How many workers may run at the same time; lead, QA and verifiers are not counted.",
  },
  "team.defaultAgentType": CORE_KEYS["team.defaultAgentType"],
  "team.defaultModel": CORE_KEYS["team.defaultModel"],
  "team.monitorIntervalMs": {
    type: "number",
    default: 30_000,
    min: 1,
    max: LONGEST_TIMER_MS,
    env: "TEAMWORK_TEAM_MONITOR_INTERVAL_MS",
    description: "How often the engine looks after its workers, in milliseconds.",
  },
  "team.shutdownTimeoutMs": {
    type: "number",
    default: 15_000,
    min: 0,
    max: LONGEST_TIMER_MS,
    env: "TEAMWORK_TEAM_SHUTDOWN_TIMEOUT_MS",
    description: "How long a worker may take to stop before it is killed, in milliseconds; 0 waits without a limit.",
  },
  "team.watchdogWarningMs": {
    type: "number",
    default: 300_000,
    min: 0,
    max: LONGEST_TIMER_MS,
    env: "TEAMWORK_TEAM_WATCHDOG_WARNING_MS",
    description: "A worker silent for this long gets a warning, in milliseconds; 0 disables.",
  },
  "team.watchdogGraceMs": {
    type: "number",
    default: 120_000,
    min: 0,
    max: LONGEST_TIMER_MS,
    env: "TEAMWORK_TEAM_WATCHDOG_GRACE_MS",
    description: "How long a warned worker has to answer the status check, in milliseconds; 0 disables.",
  },
  "team.watchdogReassignMs": {
    type: "number",
    default: 600_000,
    min: 0,
    max: LONGEST_TIMER_MS,
    env: "TEAMWORK_TEAM_WATCHDOG_REASSIGN_MS",
    description: "A worker silent for this long loses its task to another, in milliseconds; 0 disables.",
  },
  "team.agentTimeoutSeconds": CORE_KEYS["team.agentTimeoutSeconds"],
  "team.agentWaitSeconds": {
    type: "number",
    default: 30,
    min: 0,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_TEAM_AGENT_WAIT_SECONDS",
    description:
      "How long an agent may wait for a provider that limits it, fails or is not reached before its run is ended and another agent can take over, in seconds; 0 waits without a limit.",
  },
  "team.agentSilenceSeconds": {
    type: "number",
    default: 600,
    min: 0,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_TEAM_AGENT_SILENCE_SECONDS",
    description:
      "An agent of which nothing is heard for this long, while none of its tools runs, hangs and is ended, in seconds; 0 disables.",
  },
  "team.maxSameCalls": {
    type: "number",
    default: 5,
    min: 0,
    env: "TEAMWORK_TEAM_MAX_SAME_CALLS",
    description:
      "An agent that makes the same call with the same result this often in a row is in a loop and is ended; 0 disables.",
  },
  "team.freshStartIntervalSeconds": CORE_KEYS["team.freshStartIntervalSeconds"],
  "team.pollIntervalSeconds": CORE_KEYS["team.pollIntervalSeconds"],
  "team.maxConsecutiveErrors": {
    type: "number",
    default: 3,
    min: 0,
    env: "TEAMWORK_TEAM_MAX_CONSECUTIVE_ERRORS",
    description: "A worker that fails this many times in a row is quarantined; 0 disables.",
  },
  "team.maxRunsPerTask": {
    type: "number",
    default: 3,
    min: 0,
    env: "TEAMWORK_TEAM_MAX_RUNS_PER_TASK",
    description:
      "How many agent runs one attempt of a task may cost before it fails: the first, repairs, and tries of other workers; 0 leaves it to the other limits.",
  },
  "team.maxRestarts": {
    type: "number",
    default: 3,
    min: 0,
    env: "TEAMWORK_TEAM_MAX_RESTARTS",
    description:
      "How often a crashed worker is started again, and a task is tried again after a fault that is not its own, such as an agent program that does not start.",
  },
  "team.restartBackoffSeconds": {
    type: "numbers",
    default: [5, 10, 20],
    min: 0,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_TEAM_RESTART_BACKOFF_SECONDS",
    description: "The wait before each restart, in seconds; the last one repeats.",
  },
  "team.faultBackoffSeconds": {
    type: "numbers",
    default: [5, 10, 20],
    min: 0,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_TEAM_FAULT_BACKOFF_SECONDS",
    description:
      "How long an agent program is not used after each fault of its own in a row, in seconds. After one fault more it is left out for team.faultLeaveOutSeconds.",
  },
  "team.faultLeaveOutSeconds": {
    type: "number",
    default: 300,
    min: 0,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_TEAM_FAULT_LEAVE_OUT_SECONDS",
    description:
      "How long an agent program that keeps failing is left out, in seconds, twice as long after each try that fails too.",
  },
  "team.faultMaxLeaveOutSeconds": {
    type: "number",
    default: 3600,
    min: 0,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_TEAM_FAULT_MAX_LEAVE_OUT_SECONDS",
    description:
      "The longest time an agent program is left out, in seconds; at once where waiting does not help, such as without a login.",
  },
  "team.scarceQuotaPercent": {
    type: "number",
    default: 80,
    min: 0,
    max: 100,
    env: "TEAMWORK_TEAM_SCARCE_QUOTA_PERCENT",
    description:
      "From this share of its quota on, an agent program gets only tasks on the critical path, where another can take the rest; 0 disables.",
  },
  "team.maxTimeoutRestarts": {
    type: "number",
    default: 2,
    min: 0,
    env: "TEAMWORK_TEAM_MAX_TIMEOUT_RESTARTS",
    description: "How often a task whose agent ran out of time is tried again, within team.maxRunsPerTask.",
  },
  "team.maxGeneratedRoles": {
    type: "number",
    default: 5,
    min: 1,
    env: "TEAMWORK_TEAM_MAX_GENERATED_ROLES",
    description: "How many roles planning may make up for one team.",
  },
  "team.enableCascade": {
    type: "boolean",
    default: true,
    env: "TEAMWORK_TEAM_ENABLE_CASCADE",
    description:
      "Whether follow-up tasks are made where the plan, its preset or template asks for them: tests for code, a review for tests.",
  },
  "team.onBlockerFailed": {
    type: "string",
    default: "ask",
    choices: ["ask", "retry", "remove-need", "skip-dependants"],
    env: "TEAMWORK_TEAM_ON_BLOCKER_FAILED",
    description:
      "What happens when a task failed that others wait for: ask leaves it to a person, retry tries it once more, remove-need lets the others go on without it, skip-dependants leaves them out.",
  },
  "team.partialDelivery": {
    type: "string",
    default: "ask",
    choices: ["ask", "always", "never"],
    env: "TEAMWORK_TEAM_PARTIAL_DELIVERY",
    description:
      "What happens to finished work when failed tasks keep a run from its end: ask offers to deliver it without them, always delivers it once it passes the final gate, never leaves it on the integration branch.",
  },
  "team.enableCrossCliVerification": {
    type: "boolean",
    default: true,
    env: "TEAMWORK_TEAM_ENABLE_CROSS_CLI_VERIFICATION",
    description:
      "Whether an agent reviews the finished work: another program than the one that did it, or a fresh session of the same one.",
  },
  "review.required": CORE_KEYS["review.required"],
  "claim.leaseSeconds": CORE_KEYS["claim.leaseSeconds"],
  "claim.workerLeaseSeconds": {
    type: "number",
    default: 120,
    min: 1,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_CLAIM_WORKER_LEASE_SECONDS",
    description: "How long a managed worker's claim holds without a heartbeat, in seconds.",
  },
  "claim.renewSeconds": {
    type: "number",
    default: 30,
    min: 1,
    max: LONGEST_TIMER_SECONDS,
    env: "TEAMWORK_CLAIM_RENEW_SECONDS",
    description: "How often a managed worker renews its claim, in seconds; less than claim.workerLeaseSeconds.",
  },
  "evidence.blockedPatterns": CORE_KEYS["evidence.blockedPatterns"],
  "evidence.warnPatterns": CORE_KEYS["evidence.warnPatterns"],
  "quality.pass": CORE_KEYS["quality.pass"],
  "quality.review": CORE_KEYS["quality.review"],
  "qa.dimensions": CORE_KEYS["qa.dimensions"],
  "git.authorName": CORE_KEYS["git.authorName"],
  "git.authorEmail": CORE_KEYS["git.authorEmail"],
  "recordings.maxMegabytes": CORE_KEYS["recordings.maxMegabytes"],
  "recordings.maxAgeDays": CORE_KEYS["recordings.maxAgeDays"],
  "ownership.onOverlap": CORE_KEYS["ownership.onOverlap"],
  "ownership.shared": CORE_KEYS["ownership.shared"],
  ...WORKSPACE_KEYS,
  ...DELIVERY_KEYS,
  ...AGENT_KEYS,
  ...GATE_KEYS,
  ...ENGINE_KEYS,
  ...NOTIFY_KEYS,
} as const satisfies Record<string, ConfigRow>

export type ConfigKey = keyof typeof CONFIG_KEYS
/** All settings, flat: `config["team.maxAgents"]`. */
export type Config = { readonly [K in ConfigKey]: ValueOf<(typeof CONFIG_KEYS)[K]> }
/** The settings that each start loads. This table is loaded when others are set or asked for, so they cost no other call. */
export type CoreConfig = Pick<Config, keyof typeof CORE_KEYS>
/** The rows of all settings, or of some. */
export type ConfigTable = { readonly [K in ConfigKey]?: ConfigRow }
export type ConfigValue = string | number | boolean | readonly string[] | readonly number[]

export type ConfigRow = {
  /** For people, in `config list` and in the JSON Schema. */
  readonly description: string
  /** The variable: the key in capitals after TEAMWORK_, or one that was there before us. */
  readonly env: string
  /** Names a program that is run: not for the file of a repository, which may be anybody's. */
  readonly isForUserOnly?: true
} & (StringRow | NumberRow | BooleanRow | StringsRow | NumbersRow)

type StringRow = {
  readonly type: "string"
  readonly default: string
  readonly choices?: readonly string[]
  /** A regular expression for values that are not free text, and what a message says instead of it. */
  readonly pattern?: string
  readonly expects?: string
  /** Holds a path, which counts from the file it is written in, or from the current folder. */
  readonly path?: true
}
type NumberRow = {
  readonly type: "number"
  readonly default: number
  readonly min: number
  readonly max?: number
  /** Takes what is behind a decimal point as well. */
  readonly isDecimal?: true
}
type BooleanRow = { readonly type: "boolean"; readonly default: boolean }
type StringsRow = {
  readonly type: "strings"
  readonly default: readonly string[]
  /** The same for each of the texts. */
  readonly pattern?: string
  readonly expects?: string
  /** A command: given as text it is a command line, which `commandOf` splits as a shell would. */
  readonly isCommand?: true
}
type NumbersRow = {
  readonly type: "numbers"
  readonly default: readonly number[]
  readonly min: number
  readonly max?: number
}

type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { readonly type: "string" }
    ? string
    : Row extends { readonly type: "number" }
      ? number
      : Row extends { readonly type: "boolean" }
        ? boolean
        : Row extends { readonly type: "strings" }
          ? readonly string[]
          : readonly number[]

export function isConfigKey(text: string): text is ConfigKey {
  return Object.hasOwn(CONFIG_KEYS, text)
}

export const CONFIG_KEY_NAMES: readonly ConfigKey[] = Object.keys(CONFIG_KEYS).filter(isConfigKey)

export function configRow(key: ConfigKey): ConfigRow {
  return CONFIG_KEYS[key]
}
