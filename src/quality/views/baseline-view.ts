import { oneLine, paint, type Screen, table } from "../../lib/text/table.ts"
import { type Baseline, describeMissingGates, STATE_WORDS, type Standing } from "../baseline.ts"
import { countTests, nameTests } from "../compare-results.ts"

export function renderBaseline({ commit, gates }: Baseline, screen: Screen): string {
  const warning = describeMissingGates(gates)
  const advice = [...gates.flatMap((gate) => adviceOf(gate)), ...(warning === undefined ? [] : [`Warning: ${warning}`])]
  return [
    `${paint("Preflight", "bold", screen.color)} of ${commit.slice(0, 12)}`,
    table(
      [{ title: "GATE" }, { title: "STATE" }, { title: "TIME", align: "right" }, { title: "COMMAND", flexible: true }],
      gates.map((gate) => [gate.kind, STATE_WORDS[gate.state], time(gate), oneLine(gate.line ?? "-")]),
      screen,
    ),
    ...(advice.length === 0 ? [] : ["", ...advice]),
  ].join("\n")
}

function time({ durationMs }: Standing): string {
  return durationMs === null ? "" : `${(durationMs / 1000).toFixed(1)} s`
}

function adviceOf(gate: Standing): string[] {
  const { kind, line, state, program, failing, flaky, advice, outputFile } = gate
  const what = oneLine(line ?? kind)
  const todo = advice === null ? "" : ` To change that: ${advice}`
  switch (state) {
    case "green":
      if (flaky === null) return []
      return [`${what} failed and then passed on the same files: it is flaky.${namesOf(flaky)}`]
    case "red": {
      const verb = failing?.length === 1 ? "fails" : "fail"
      const which = failing === null ? "" : ` ${countTests(failing.length)} ${verb}: ${oneLine(nameTests(failing))}.`
      return [
        `${what} is red before any work.${which} That is not held against tasks. Output: ${outputFile ?? "-"}`,
        ...(gate.lastLines ?? []).map((said) => `    ${oneLine(said)}`),
      ]
    }
    case "not_installed":
      return [`${what} cannot run: ${program ?? "a program"} is not installed. It is left out.${todo}`]
    case "too_slow":
      return [`${what} takes longer than gates.timeoutSeconds. It is left out.${todo}`]
    case "absent":
      return [`There is no ${kind} command.${todo}`]
    default:
      return []
  }
}

function namesOf(names: readonly string[]): string {
  return names.length === 0 ? "" : ` Tests: ${oneLine(nameTests(names))}`
}
