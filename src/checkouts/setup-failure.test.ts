import { expect, it } from "bun:test"
import { setupFailed } from "./setup-failure.ts"

function reasonFor(tail: string): string {
  const result = { reason: "exited", exitCode: 1, signal: null, tail, durationMs: 1, outputHash: "" } as const
  const { message } = setupFailed({ what: "install", result, log: "log.txt", timeoutSeconds: 9 })
  return message.slice("install ended with 1: ".length, message.indexOf("; its output is in log.txt"))
}

it("names the reason that npm gives, not its advice", () => {
  const tail = [
    "npm error code ETARGET",
    "npm error notarget No matching version found for left-pad@^9.0.0.",
    "npm error notarget In most cases you or one of your dependencies are requesting",
    "npm error A complete log of this run can be found in: x",
  ].join("\n")
  expect(reasonFor(tail)).toBe("No matching version found for left-pad@^9.0.0.")
  expect(
    reasonFor("npm error code EUSAGE\nnpm error\nnpm error lock file out of sync\nnpm error\nnpm error Run x"),
  ).toBe("lock file out of sync")
})

it("names the reason that pip gives, and else the last line that says something", () => {
  const pip =
    "Collecting shop\n  ERROR: inner\nERROR: No matching distribution found for shop\nnote: This error originates from a subprocess"
  expect(reasonFor(pip)).toBe("No matching distribution found for shop")
  const nested =
    "  error: subprocess-exited-with-error\n      ERROR: No matching distribution found for setuptools\nhint: see above"
  expect(reasonFor(nested)).toBe("No matching distribution found for setuptools")
  expect(reasonFor("one\ntwo\n[notice] a new release of pip")).toBe("two")
})
