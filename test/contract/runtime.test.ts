import { systemClock } from "../../src/lib/clock.ts"
import { makeChildRuntime } from "../../src/workers/runtimes/child/make-child-runtime.ts"
import { makeTmuxRuntime } from "../../src/workers/runtimes/tmux/make-tmux-runtime.ts"
import { socketOf } from "../../src/workers/runtimes/tmux/server.ts"
import { sandboxEnv } from "../support/sandbox.ts"
import { runtimeContract } from "./runtime.contract.ts"

runtimeContract({
  name: "child",
  skipped: null,
  make: (owner) => makeChildRuntime({ owner, clock: systemClock, env: sandboxEnv() }),
  leftOf: () => [],
})

runtimeContract({
  name: "tmux",
  skipped: Bun.which("tmux") === null ? "tmux is not installed" : null,
  make: (owner) => makeTmuxRuntime({ owner, clock: systemClock, env: sandboxEnv() }),
  // A server that runs has sessions; without any it ends.
  leftOf: ([home]) => {
    const { stdout, stderr } = Bun.spawnSync(["tmux", "-L", socketOf(home), "list-panes", "-a"], { env: sandboxEnv() })
    return /no server|error connecting/.test(String(stderr)) ? [] : [String(stdout), String(stderr)]
  },
})
